//! Counts work in tests, where time would say more of the machine than of the code: bytes read by automata, checks and
//! evidence. Nothing is counted in a program.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts steps of work.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    DONE.with(|done| done.set(done.get() + steps));
    let _ = steps;
}

/// The steps that this thread takes in `run`.
#[cfg(test)]
pub(crate) fn of(run: impl FnOnce()) -> usize {
    DONE.with(|done| done.set(0));
    run();
    DONE.with(std::cell::Cell::get)
}
