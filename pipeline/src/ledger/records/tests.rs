use super::*;
use crate::redact::{Key, keyed_hash};
use jiff::{Timestamp, civil::date};
use proptest::prelude::*;
use std::{fs, os::unix::fs::PermissionsExt as _, process::Command, sync::LazyLock};

static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate().unwrap());

fn erasure(request: &str) -> Statement {
    let hashes = Key::parse("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f").unwrap();
    Statement::Erasure(ErasureStatement {
        request_id: request.into(),
        received: date(2026, 11, 2),
        customer: Customer {
            tenant: "acme".into(),
            keys: vec![keyed_hash(&hashes, "acme", "customer", "ck_5f0c2b")],
            senders: vec![],
        },
        closed: Closed { erased_at: at(7) },
        read: vec![ReadUpTo { topic: "transcripts.reservations".into(), partition: 0, end: 1234 }],
        handoffs: vec![Owed {
            provider: "example-models".into(),
            destination: "summaries-eu".into(),
            source: "transcript".into(),
            terms: Some("2026-02-11 sha256:aa".into()),
            reserved_requests: 3,
            requests_used: 2,
            first: Some("2026-03-02T09:14:03Z".into()),
            last: None,
            until_by_contract: Some(date(2026, 4, 4)),
            reservations: vec!["aa".into()],
            provider_request_ids: vec![],
        }],
    })
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_793_000_000 + second).unwrap()
}

/// A chain of so many records, as lines.
fn lines(count: u64) -> Vec<Vec<u8>> {
    let mut chain = Chain::default();
    (0..count)
        .map(|number| {
            let statement = match number % 3 {
                0 => erasure(&format!("r-{number}")),
                1 => Statement::Supplement(Supplement {
                    of: 1,
                    why: Why::CameLater,
                    keys: vec![],
                    senders: vec![],
                    read: vec![],
                    handoffs: vec![],
                }),
                _ => Statement::Deletion(Deletion {
                    of: 1,
                    transactions: vec![],
                    deleted: vec![Deleted { place: "transcripts.review".into(), count: number, on_hold: 0 }],
                }),
            };
            chain.sign(statement, &KEY, at(0)).unwrap()
        })
        .collect()
}

fn verify(lines: &[Vec<u8>]) -> Result<Chain, Faults> {
    let placed = lines.iter().enumerate().map(|(at, line)| (format!("records.jsonl:{}", at + 1), line));
    Chain::verify(placed, &KEY.public().unwrap())
}

/// The numbers of the records that are named.
fn named(lines: &[Vec<u8>]) -> Vec<u64> {
    let number = |fault: &Fault| match *fault {
        Fault::Unreadable { number, .. }
        | Fault::UnknownKey { number, .. }
        | Fault::Signature { number, .. }
        | Fault::OutOfPlace { number, .. }
        | Fault::Link { number, .. } => number,
        Fault::Missing { missing, .. } => missing,
    };
    verify(lines).map_or_else(|faults| faults.0.iter().map(number).collect(), |_| Vec::new())
}

#[test]
fn a_chain_holds_and_grows() {
    let all = lines(5);
    let chain = verify(&all).unwrap();
    assert_eq!(chain.records().map(|record| record.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    let earlier = verify(&all[..3]).unwrap().head().unwrap();
    assert_eq!((chain.since(&earlier), earlier.to_string().parse()), (Ok(2), Ok(earlier.clone())));
    assert_eq!(verify(&[]).unwrap().head(), None);
    for wrong in ["", "7", "7@sha256:aa", &format!("x@sha256:{}", "a".repeat(64)), &"7@sha256:A".repeat(8)] {
        assert_eq!(wrong.parse::<Head>(), Err(NoHead), "{wrong}");
    }
}

#[test]
fn a_record_is_canonical_and_names_no_customer() {
    let line = String::from_utf8(lines(1).remove(0)).unwrap();
    assert!(line.starts_with(r#"{"key":"ed25519:"#), "members stand in the order of their names: {line}");
    assert!(!line.contains("ck_5f0c2b"), "{line}");
    let spaced = line.replace("\"number\":1", "\"number\": 1").into_bytes();
    let faults = verify(&[spaced]).unwrap_err();
    assert!(matches!(faults.0[..], [Fault::Unreadable { error: RecordError::NotCanonical, .. }]), "{faults}");
}

#[test]
fn every_fault_says_where_and_what() {
    let all = lines(4);
    let without_second = [&all[0], &all[2], &all[3]].map(Clone::clone);
    assert_eq!(
        verify(&without_second).unwrap_err().to_string(),
        "records.jsonl:2: record 2 is missing: record 3 stands in its place"
    );
    let other = SigningKey::generate().unwrap();
    let foreign = Chain::default().sign(erasure("r-0"), &other, at(0)).unwrap();
    let said = verify(std::slice::from_ref(&foreign)).unwrap_err().to_string();
    assert!(said.contains("record 1 is signed with ed25519:") && said.contains("--public-key"), "{said}");

    // Another chain of the same signer: every record holds by itself.
    let mut twin = Chain::default();
    twin.sign(erasure("another"), &KEY, at(0)).unwrap();
    let second = twin.sign(erasure("r-1"), &KEY, at(0)).unwrap();
    let said = verify(&[all[0].clone(), second]).unwrap_err().to_string();
    assert!(said.contains("record 2 does not follow"), "{said}");
}

#[test]
fn a_cut_end_is_found_by_the_published_head_only() {
    let all = lines(4);
    let head = verify(&all).unwrap().head().unwrap();
    let cut = verify(&all[..2]).unwrap();
    let said = cut.since(&head).unwrap_err().to_string();
    assert!(said.contains("record 4 is missing") && said.contains("ends with record 2"), "{said}");
    let said = verify(&[]).unwrap().since(&head).unwrap_err().to_string();
    assert!(said.contains("ends with record 0"), "{said}");
    let other = Head { number: 2, digest: head.digest.clone() };
    assert!(cut.since(&other).unwrap_err().to_string().contains("record 2 is another one"));
}

#[test]
fn a_key_is_for_its_owner_only_and_never_replaces_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("erasure.key");
    let public = KEY.write(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(SigningKey::read(&path).unwrap().id(), KEY.id());
    let read = PublicKeys::read([public.as_path()]).unwrap();
    assert_eq!(read.ids().collect::<Vec<_>>(), [KEY.id()]);
    assert!(matches!(KEY.write(&path), Err(KeyFileError::Unwritable { .. })));

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let said = SigningKey::read(&path).unwrap_err().to_string();
    assert!(said.contains("has mode 0640") && said.contains("chmod 600"), "{said}");
    fs::set_permissions(&public, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(matches!(SigningKey::read(&public), Err(KeyFileError::NoKey { .. })));
    assert!(matches!(PublicKeys::read([path.as_path()]), Err(KeyFileError::NoKey { .. })));
    let nowhere = SigningKey::read(&folder.path().join("none")).unwrap_err().to_string();
    assert!(nowhere.contains("maysend ledger key"), "{nowhere}");
    assert_eq!(format!("{:?}", *KEY), format!("SigningKey({})", KEY.id()));
}

/// An auditor needs no program of ours. Left out where there is no `openssl` of version 3.
#[test]
fn openssl_itself_verifies_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let public = KEY.write(&at("key")).unwrap();
    let record = SignedRecord::read(&lines(1)[0]).unwrap();
    fs::write(at("signed"), record.signed_bytes()).unwrap();
    let signature = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, &record.signature).unwrap();
    fs::write(at("signature"), signature).unwrap();
    let ran = Command::new("openssl")
        .args(["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey"])
        .arg(public)
        .arg("-in")
        .arg(at("signed"))
        .arg("-sigfile")
        .arg(at("signature"))
        .output();
    let Ok(ran) = ran else { return };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

proptest! {
    #[test]
    fn any_changed_byte_is_found_and_named(record in 0..4_usize, at in any::<prop::sample::Index>(), byte in 1..=255_u8) {
        let mut all = lines(4);
        let at = at.index(all[record].len());
        all[record][at] ^= byte;
        prop_assert_eq!(named(&all), [record as u64 + 1]);
    }

    #[test]
    fn a_dropped_record_is_found_and_named(record in 0..4_usize) {
        let mut all = lines(5);
        all.remove(record);
        prop_assert_eq!(named(&all), [record as u64 + 1]);
    }

    #[test]
    fn swapped_records_are_found_and_named(a in 0..5_usize, b in 0..5_usize) {
        prop_assume!(a != b);
        let mut all = lines(5);
        all.swap(a, b);
        let found = named(&all);
        prop_assert!(found.contains(&(a.min(b) as u64 + 1)), "{:?}", found);
    }

    #[test]
    fn a_repeated_record_is_found_and_named(record in 0..4_usize, to in 0..4_usize) {
        let mut all = lines(4);
        let twice = all[record].clone();
        all.insert(record.max(to) + 1, twice);
        prop_assert!(named(&all).contains(&(record as u64 + 1)));
    }

    #[test]
    fn a_cut_chain_holds_and_lacks_its_published_head(kept in 0..4_usize) {
        let all = lines(4);
        let head = verify(&all).unwrap().head().unwrap();
        let cut = verify(&all[..kept]).unwrap();
        prop_assert_eq!(cut.since(&head), Err(NotInChain::Cut { head, last: kept as u64 }));
    }
}
