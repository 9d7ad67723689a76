//! Traces over OTLP, as the standard `OTEL_…` variables say.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::{Level, Subscriber};
use tracing_subscriber::{Layer, filter::Targets, registry::LookupSpan};

/// Traces are exported if one of these is set, and not otherwise: a process that was not told where sends nothing.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// What exports traces. When it is dropped, what is left is sent.
#[derive(Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// As the environment says; `None` if it names no endpoint, or `OTEL_SDK_DISABLED` is `true`.
    pub(super) fn from_env() -> Result<Option<Self>, ExporterBuildError> {
        let is_off = std::env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
        let is_set = |name| std::env::var(name).is_ok_and(|value| !value.is_empty());
        if is_off || !ENDPOINTS.into_iter().any(is_set) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder().with_http().build()?;
        let mut resource = Resource::builder();
        if !is_set("OTEL_SERVICE_NAME") {
            resource = resource.with_service_name("maysend");
        }
        Ok(Some(Self(
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build(),
        )))
    }

    /// Turns the program's own spans into traces; those of the exporter itself would make ever more.
    pub(super) fn layer<S: Subscriber + for<'s> LookupSpan<'s>>(&self) -> impl Layer<S> + use<S> {
        let tracer = self.0.tracer("maysend");
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(Targets::new().with_target("maysend", Level::INFO))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!("the last traces were not exported: {error}");
        }
    }
}
