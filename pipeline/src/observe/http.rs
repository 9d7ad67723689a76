//! The HTTP page for machines: `/metrics`, `/healthz`, `/readyz`.
//!
//! It runs in a thread of its own, so that it answers while everything else is busy or stuck.

use super::{Observer, render};
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::encoding::prometheus_text;
use serde_json::{Value, json};
use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread,
};

/// The page cannot be served.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen on {listen}: {error}; set `listen` under [http] to a free address, to port 0 for any, or to \"off\""
)]
pub struct HttpError {
    listen: SocketAddr,
    error: io::Error,
}

/// Serves the page until the process ends. Returns the address, which matters where any port was asked for.
///
/// # Errors
/// The address is taken, or is not this machine's.
pub fn serve(listen: SocketAddr, observer: Arc<Observer>) -> Result<SocketAddr, HttpError> {
    let wrong = |error| HttpError { listen, error };
    let listener = TcpListener::bind(listen).map_err(wrong)?;
    listener.set_nonblocking(true).map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(wrong)?;
    let served = move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, router(observer)).await
        })
    };
    thread::Builder::new()
        .name("http".into())
        .spawn(move || {
            if let Err(error) = served() {
                tracing::error!("the page for metrics and health is no longer served: {error}");
            }
        })
        .map_err(wrong)?;
    Ok(address)
}

fn router(observer: Arc<Observer>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .with_state(observer)
}

async fn metrics(State(observer): State<Arc<Observer>>) -> Response {
    ([(CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], render(&observer)).into_response()
}

async fn health(State(observer): State<Arc<Observer>>) -> Response {
    let facts = observer.state().facts();
    let is_alive = facts.is_alive(observer.bounds());
    let turned = facts.turned.map(|turned| turned.as_secs_f64());
    answer(is_alive, &json!({"alive": is_alive, "polled_seconds_ago": turned}))
}

async fn readiness(State(observer): State<Arc<Observer>>) -> Response {
    let (is_ready, body) = describe(&observer);
    answer(is_ready, &body)
}

/// Whether the process is ready, with reasons and with what helps to understand them.
fn describe(observer: &Observer) -> (bool, Value) {
    let state = observer.state();
    let obstacles = state.facts().obstacles(observer.bounds());
    let lag: u64 = state.lag().values().sum();
    let ruleset = state.ruleset.as_ref().map(
        |in_use| json!({"digest": in_use.ruleset.digest, "since": in_use.since.to_string(), "refused": in_use.refused}),
    );
    let last_error = state.last_error.as_ref().map(|(at, message)| json!({"at": at.to_string(), "message": message}));
    let body = json!({
        "ready": obstacles.is_empty(),
        "reasons": obstacles,
        "partitions": state.partitions.count(),
        "lag": lag,
        "in_flight_bytes": state.in_flight_bytes,
        "last_commit": state.last_commit.map(|at| at.to_string()),
        "ruleset": ruleset,
        "alerts": state.usage.alerts(),
        "last_error": last_error,
    });
    (obstacles.is_empty(), body)
}

fn answer(is_good: bool, body: &Value) -> Response {
    let status = if is_good { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, [(CONTENT_TYPE, "application/json")], format!("{body}\n")).into_response()
}
