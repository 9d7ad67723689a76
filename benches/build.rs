//! Says where librdkafka was built, for the benchmark that uses its own performance tool.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = std::env::var("DEP_RDKAFKA_ROOT").expect("rdkafka-sys says where it built librdkafka");
    println!("cargo::rustc-env=LIBRDKAFKA={root}");
}
