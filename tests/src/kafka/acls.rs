//! Access rules, given by the broker's own protocol: the client library has no call for it.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A topic.
    Topic = 2,
    /// A group.
    Group = 3,
    /// The cluster.
    Cluster = 4,
    /// A transactional id.
    TransactionalId = 5,
}

/// An operation that is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acl {
    /// What it is about.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Whether the name is what names begin with.
    pub is_prefix: bool,
    /// The operation, as `kafka-acls.sh` names it.
    pub operation: String,
}

/// Operations, at the place of their number in the protocol.
const OPERATIONS: [&str; 13] = [
    "Unknown",
    "Any",
    "All",
    "Read",
    "Write",
    "Create",
    "Delete",
    "Alter",
    "Describe",
    "ClusterAction",
    "DescribeConfigs",
    "AlterConfigs",
    "IdempotentWrite",
];

/// Allows a principal, such as `User:maysend`, all of these, and returns once the broker goes by them. It must let anybody
/// at this address do so.
pub fn allow(bootstrap: &str, principal: &str, acls: &[Acl]) {
    const CREATE_ACLS: i16 = 30;
    let mut request = Vec::new();
    request.extend(i32::try_from(acls.len()).expect("a few").to_be_bytes());
    for acl in acls {
        let operation = OPERATIONS.iter().position(|name| *name == acl.operation);
        request.push(acl.kind as u8);
        string(&mut request, &acl.name);
        request.push(if acl.is_prefix { 4 } else { 3 });
        string(&mut request, principal);
        string(&mut request, "*");
        request.push(operation.unwrap_or_else(|| panic!("no operation {}", acl.operation)) as u8);
        request.push(3);
    }
    let mut broker = TcpStream::connect(bootstrap).expect("the broker");
    // How many; then for each a code and a message, which is empty where all is well.
    let mut rest = ask(&mut broker, CREATE_ACLS, &request).split_off(4).into_iter();
    let mut number = || i16::from_be_bytes([rest.next(), rest.next()].map(|byte| byte.expect("a whole answer")));
    for acl in acls {
        assert_eq!((number(), number().max(0)), (0, 0), "{acl:?} is refused");
    }
    // What the controller has written down the broker hears of a moment later.
    while listed(&mut broker, principal) < acls.len() {}
}

/// How many rules the broker has for a principal.
fn listed(broker: &mut TcpStream, principal: &str) -> usize {
    const DESCRIBE_ACLS: i16 = 29;
    const ANY: u8 = 1;
    // Of any kind, name and kind of name; the principal; from anywhere, any operation, allowed or not.
    let mut request = vec![ANY, 0xFF, 0xFF, ANY];
    string(&mut request, principal);
    request.extend([0xFF, 0xFF, ANY, ANY]);
    // Each rule of the answer names its principal.
    let answer = ask(broker, DESCRIBE_ACLS, &request);
    answer.windows(principal.len()).filter(|name| *name == principal.as_bytes()).count()
}

/// What the broker answers to a request of version 1, after the correlation id and how long it throttles.
fn ask(broker: &mut TcpStream, request: i16, body: &[u8]) -> Vec<u8> {
    const VERSION: i16 = 1;
    let mut message = Vec::new();
    message.extend(request.to_be_bytes());
    message.extend(VERSION.to_be_bytes());
    message.extend(7_i32.to_be_bytes());
    string(&mut message, "tests");
    message.extend(body);
    broker.write_all(&i32::try_from(message.len()).expect("short").to_be_bytes()).expect("written");
    broker.write_all(&message).expect("written");
    let mut length = [0; 4];
    broker.read_exact(&mut length).expect("an answer");
    let mut answer = vec![0; usize::try_from(i32::from_be_bytes(length)).expect("a length")];
    broker.read_exact(&mut answer).expect("an answer");
    answer.split_off(8)
}

fn string(request: &mut Vec<u8>, text: &str) {
    request.extend(i16::try_from(text.len()).expect("short").to_be_bytes());
    request.extend(text.as_bytes());
}
