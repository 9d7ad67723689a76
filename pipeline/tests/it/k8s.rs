//! The manifests of `k8s/` against the program: its arguments, its variables, its configuration, its times.

use maysend::{
    config::{Effective, Environment, ORDINAL, Origin, SECRETS},
    redact::keyed,
};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../k8s").join(name)).unwrap()
}

fn manifests() -> Vec<Value> {
    serde_saphyr::from_multiple(&read("maysend.yaml")).unwrap()
}

fn of_kind<'m>(manifests: &'m [Value], kind: &str) -> &'m Value {
    let mut found = manifests.iter().filter(|manifest| manifest["kind"] == kind);
    let one = found.next().unwrap_or_else(|| panic!("no {kind}"));
    assert!(found.next().is_none(), "more than one {kind}");
    one
}

fn pod(manifests: &[Value]) -> &Value {
    &of_kind(manifests, "StatefulSet")["spec"]["template"]["spec"]
}

/// The configuration that the program reads in a pod.
fn effective(manifests: &[Value]) -> Effective {
    let text = of_kind(manifests, "ConfigMap")["data"]["maysend.toml"].as_str().unwrap();
    let variables = pod(manifests)["containers"][0]["env"].as_array().unwrap();
    let variables = variables.iter().map(|variable| {
        let value = match variable["valueFrom"]["fieldRef"]["fieldPath"].as_str() {
            Some("metadata.name") => "maysend-1",
            Some(other) => panic!("{other}"),
            None => variable["value"].as_str().unwrap(),
        };
        (variable["name"].as_str().unwrap(), value)
    });
    Effective::read("maysend.toml", text, &Environment::from_iter(variables)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_configuration_is_one_that_the_program_reads() {
    let manifests = manifests();
    let effective = effective(&manifests);
    assert_eq!(effective.config.kafka.ordinal, Some(1));
    let ordinal = effective.settings.iter().find(|setting| setting.key == "ordinal").unwrap();
    assert_eq!(ordinal.origin, Origin::Variable(ORDINAL.into()));
}

#[test]
fn the_arguments_are_ones_that_the_program_takes() {
    let manifests = manifests();
    let container = &pod(&manifests)["containers"][0];
    let arguments: Vec<&str> = container["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    // There is no such file here; that it is missed shows that everything else was understood.
    let output = Command::new(env!("CARGO_BIN_EXE_maysend")).args(&arguments).env_clear().output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("cannot read /etc/maysend/config/maysend.toml"), "{said}");
    assert!(read("Containerfile").contains("ENTRYPOINT [\"/usr/local/bin/maysend\"]"));
}

#[test]
fn what_is_named_is_mounted() {
    let manifests = manifests();
    let pod = pod(&manifests);
    let mounts = pod["containers"][0]["volumeMounts"].as_array().unwrap();
    let mounted = |path: &Path| mounts.iter().any(|mount| path.starts_with(mount["mountPath"].as_str().unwrap()));
    assert!(mounted(Path::new("/etc/maysend/config/maysend.toml")));
    assert!(mounted(effective(&manifests).config.ruleset.folder.as_deref().unwrap()));
    assert!(mounts.iter().all(|mount| mount["readOnly"] == true && mount["subPath"].is_null()));
    let volumes: Vec<&Value> = pod["volumes"].as_array().unwrap().iter().map(|volume| &volume["name"]).collect();
    assert!(mounts.iter().all(|mount| volumes.contains(&&mount["name"])));
}

#[test]
fn a_pod_has_the_time_to_end_what_is_in_flight() {
    let manifests = manifests();
    let grace = pod(&manifests)["terminationGracePeriodSeconds"].as_u64().unwrap();
    let drain = effective(&manifests).config.stream.drain_timeout.as_secs();
    assert!(grace >= drain + 10, "{grace} s, and draining takes up to {drain} s");
}

#[test]
fn a_pod_has_no_rights_and_no_secrets_in_its_manifest() {
    let manifests = manifests();
    let pod = pod(&manifests);
    let container = &pod["containers"][0];
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["enableServiceLinks"], false);
    let own = &container["securityContext"];
    assert_eq!((&own["allowPrivilegeEscalation"], &own["readOnlyRootFilesystem"]), (&false.into(), &true.into()));
    assert_eq!(own["capabilities"]["drop"], serde_json::json!(["ALL"]));
    assert_eq!(container["envFrom"][0]["secretRef"]["name"], "maysend");
    let secret = |name: &Value| name == keyed::VARIABLE || SECRETS.iter().any(|(_, variable)| name == variable);
    assert!(!container["env"].as_array().unwrap().iter().any(|variable| secret(&variable["name"])));
}

#[test]
fn everything_selects_the_same_pods() {
    let manifests = manifests();
    let set = &of_kind(&manifests, "StatefulSet")["spec"];
    let labels = &set["template"]["metadata"]["labels"];
    assert_eq!(&set["selector"]["matchLabels"], labels);
    assert_eq!(&of_kind(&manifests, "Service")["spec"]["selector"], labels);
    assert_eq!(&of_kind(&manifests, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(set["serviceName"], of_kind(&manifests, "Service")["metadata"]["name"]);
}

#[test]
fn probes_ask_where_health_is_served() {
    let manifests = manifests();
    let container = &pod(&manifests)["containers"][0];
    for (probe, path) in [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
        let get = &container[probe]["httpGet"];
        assert_eq!((&get["path"], &get["port"]), (&path.into(), &"http".into()));
    }
}
