use super::*;
use proptest::prelude::*;

const LIMITS: Limits = Limits { batch_bytes: 100, batch_records: 3, batch_age_ms: 10, in_flight_bytes: 200 };

fn place(partition: i32, offset: i64) -> Place {
    Place { partition, offset, bytes: 10 }
}

fn machine(partitions: &[i32]) -> Machine<()> {
    let mut machine = Machine::new(LIMITS);
    machine.on_assigned(partitions.iter().copied());
    machine
}

fn scan_of(commands: Vec<Command<()>>) -> Batch<()> {
    commands
        .into_iter()
        .find_map(|command| match command {
            Command::Scan(batch) => Some(batch),
            _ => None,
        })
        .expect("a scan")
}

#[test]
fn a_batch_is_closed_by_count_by_bytes_or_by_age() {
    let mut by_count = machine(&[0]);
    assert!(by_count.on_record(place(0, 0), (), 0).is_empty());
    assert!(by_count.on_record(place(0, 1), (), 0).is_empty());
    assert_eq!(scan_of(by_count.on_record(place(0, 5), (), 0)).offsets(), [(0, 6)].into());

    let mut by_bytes = machine(&[0]);
    assert_eq!(scan_of(by_bytes.on_record(Place { bytes: 100, ..place(0, 0) }, (), 0)).bytes(), 100);

    let mut by_age = machine(&[0]);
    assert!(by_age.on_record(place(0, 0), (), 5).is_empty());
    assert!(by_age.on_tick(14).is_empty());
    assert_eq!(scan_of(by_age.on_tick(15)).records.len(), 1);
}

#[test]
fn the_next_batch_is_scanned_while_the_last_one_commits_and_no_further() {
    let mut machine = machine(&[0]);
    let fill = |machine: &mut Machine<()>, from: i64| {
        (from..from + 3).flat_map(|offset| machine.on_record(place(0, offset), (), 0)).collect::<Vec<_>>()
    };
    assert_eq!(scan_of(fill(&mut machine, 0)).id, 0);
    assert_eq!(machine.on_scanned(0, 0), [Command::Commit(0)]);
    assert_eq!(scan_of(fill(&mut machine, 3)).id, 1);
    assert!(machine.on_scanned(1, 0).is_empty(), "one transaction at a time");
    assert!(fill(&mut machine, 6).is_empty(), "one scanned batch waits, and no more");
    let (offsets, commands) = machine.on_committed(0, 0);
    assert_eq!(offsets, [(0, 3)].into());
    assert_eq!(commands[0], Command::Commit(1));
    assert_eq!(scan_of(commands).id, 2);
}

#[test]
fn what_came_while_a_batch_was_scanned_is_cut_into_batches_within_the_limits() {
    let mut machine = machine(&[0]);
    machine.on_record(Place { bytes: 120, ..place(0, 0) }, (), 0);
    for offset in 1..6 {
        machine.on_record(place(0, offset), (), offset.unsigned_abs());
    }
    machine.on_record(Place { bytes: 95, ..place(0, 6) }, (), 6);
    let sizes = |batch: &Batch<()>| (batch.records.len(), batch.bytes());
    let second = scan_of(machine.on_scanned(0, 6));
    assert_eq!(sizes(&second), (3, 30), "no more than three records");
    machine.on_committed(0, 6);
    let third = scan_of(machine.on_scanned(1, 6));
    assert_eq!(sizes(&third), (2, 20), "the next would be too many bytes");
    machine.on_committed(1, 6);
    assert!(machine.on_scanned(2, 6).iter().all(|command| matches!(command, Command::Commit(2))));
    assert!(machine.on_tick(15).is_empty(), "the age is that of its own first record");
    assert_eq!(sizes(&scan_of(machine.on_tick(16))), (1, 95));
}

#[test]
fn intake_pauses_over_the_bound_and_goes_on_at_half() {
    let mut machine = machine(&[0]);
    let large = |offset| Place { bytes: 100, ..place(0, offset) };
    machine.on_record(large(0), (), 0);
    assert_eq!(machine.on_record(large(1), (), 0), [Command::Pause]);
    let commands = machine.on_scanned(0, 0);
    assert!(matches!(commands[..], [Command::Commit(0), Command::Scan(_)]));
    let (_, commands) = machine.on_committed(0, 0);
    assert_eq!(commands, [Command::Resume]);
}

#[test]
fn an_abort_starts_a_new_epoch_and_late_results_change_nothing() {
    let mut machine = machine(&[0, 1]);
    for offset in 0..3 {
        machine.on_record(place(0, offset), (), 0);
    }
    machine.on_scanned(0, 0);
    for offset in 3..6 {
        machine.on_record(place(0, offset), (), 0);
    }
    assert_eq!(machine.on_aborted(0), [Command::Rewind(vec![0, 1])]);
    assert_eq!(machine.epoch(), 1);
    assert!(machine.on_scanned(1, 0).is_empty());
    assert_eq!(machine.on_committed(0, 0), (BTreeMap::new(), Vec::new()));
    assert!(machine.on_record(place(0, 0), (), 0).is_empty(), "what was rewound is taken again");
    assert_eq!(machine.in_flight_bytes(), 10);
}

#[test]
fn a_revoked_partition_takes_its_waiting_records_along_and_leaves_the_others() {
    let mut machine = machine(&[0, 1]);
    machine.on_record(place(0, 0), (), 0);
    machine.on_record(place(1, 0), (), 0);
    assert!(machine.on_revoked(&[1].into()).is_empty());
    assert!(machine.on_record(place(1, 1), (), 0).is_empty());
    let batch = scan_of(machine.on_tick(10));
    assert_eq!(batch.offsets(), [(0, 1)].into());
}

#[test]
fn what_is_lost_is_never_committed() {
    let mut machine = machine(&[0, 1]);
    for offset in 0..3 {
        machine.on_record(place(1, offset), (), 0);
    }
    assert_eq!(machine.on_lost(&[1].into()), [Command::Rewind(vec![0])]);
    assert!(machine.on_scanned(0, 0).is_empty());
}

#[test]
fn the_end_waits_for_what_is_in_flight_and_takes_nothing_more() {
    let mut machine = machine(&[0]);
    for offset in 0..3 {
        machine.on_record(place(0, offset), (), 0);
    }
    assert!(machine.on_shutdown().is_empty());
    assert!(machine.on_record(place(0, 3), (), 0).is_empty());
    assert_eq!(machine.on_scanned(0, 0), [Command::Commit(0)]);
    assert_eq!(machine.on_committed(0, 0).1, [Command::Stop]);

    let mut idle = Machine::<()>::new(LIMITS);
    assert_eq!(idle.on_shutdown(), [Command::Stop]);
}

/// The largest record: larger than a batch may be.
const LARGEST: usize = 120;

/// What may happen to a stream.
#[derive(Clone, Debug)]
enum Happens {
    Record(i32, usize),
    Tick,
    Scanned,
    Committed,
    Aborted,
    Lost(i32),
    Revoked(i32),
    Assigned(i32),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        8 => (0..3i32, 1..=LARGEST).prop_map(|(partition, bytes)| Happens::Record(partition, bytes)),
        3 => Just(Happens::Tick),
        4 => Just(Happens::Scanned),
        4 => Just(Happens::Committed),
        1 => Just(Happens::Aborted),
        1 => (0..3i32).prop_map(Happens::Lost),
        1 => (0..3i32).prop_map(Happens::Revoked),
        2 => (0..3i32).prop_map(Happens::Assigned),
    ]
}

/// A broker and a program around the machine: logs with gaps, a position to read from, what is committed.
struct World {
    machine: Machine<i64>,
    position: BTreeMap<i32, i64>,
    committed: BTreeMap<i32, i64>,
    outcomes: BTreeMap<(i32, i64), u32>,
    scanning: Vec<Batch<i64>>,
    scanned: Vec<Batch<i64>>,
    committing: Option<Batch<i64>>,
    paused: bool,
    now_ms: u64,
}

impl World {
    fn new() -> Self {
        Self {
            machine: Machine::new(LIMITS),
            position: BTreeMap::new(),
            committed: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            scanning: Vec::new(),
            scanned: Vec::new(),
            committing: None,
            paused: false,
            now_ms: 0,
        }
    }

    fn obey(&mut self, commands: Vec<Command<i64>>) {
        for command in commands {
            match command {
                Command::Scan(batch) => {
                    let is_within = batch.records.len() <= LIMITS.batch_records && batch.bytes() <= LIMITS.batch_bytes;
                    assert!(is_within || batch.records.len() == 1, "{} bytes in {batch:?}", batch.bytes());
                    self.scanning.push(batch);
                }
                Command::Commit(id) => {
                    assert!(self.committing.is_none(), "one transaction at a time");
                    let at = self.scanned.iter().position(|batch| batch.id == id).expect("it was scanned");
                    let batch = self.scanned.remove(at);
                    assert_eq!(batch.epoch, self.machine.epoch(), "of this epoch");
                    self.committing = Some(batch);
                }
                Command::Pause => self.paused = true,
                Command::Resume => self.paused = false,
                Command::Rewind(partitions) => {
                    for partition in partitions {
                        let from = self.committed.get(&partition).copied().unwrap_or(0);
                        self.position.insert(partition, from);
                    }
                    self.committing = None;
                }
                Command::Stop => panic!("nobody asked it to stop"),
            }
        }
    }

    fn happen(&mut self, event: &Happens) {
        self.now_ms += 3;
        let now = self.now_ms;
        match *event {
            Happens::Record(partition, bytes) => {
                if self.paused || !self.machine.assigned().contains(&partition) {
                    return;
                }
                // Control records leave gaps: every third offset is none of ours.
                let mut offset = self.position.get(&partition).copied().unwrap_or(0);
                offset += i64::from(offset % 3 == 2);
                self.position.insert(partition, offset + 1);
                let commands = self.machine.on_record(Place { partition, offset, bytes }, offset, now);
                self.obey(commands);
            }
            Happens::Tick => {
                let commands = self.machine.on_tick(now);
                self.obey(commands);
            }
            Happens::Scanned if !self.scanning.is_empty() => {
                let batch = self.scanning.remove(0);
                let id = batch.id;
                self.scanned.push(batch);
                let commands = self.machine.on_scanned(id, now);
                self.obey(commands);
            }
            Happens::Committed => {
                let Some(batch) = self.committing.take() else { return };
                let (offsets, commands) = self.machine.on_committed(batch.id, now);
                assert_eq!(offsets, batch.offsets());
                for (place, offset) in &batch.records {
                    *self.outcomes.entry((place.partition, *offset)).or_default() += 1;
                }
                for (partition, offset) in offsets {
                    let before = self.committed.insert(partition, offset).unwrap_or(0);
                    assert!(before < offset, "committed offsets never go back");
                }
                self.obey(commands);
            }
            Happens::Aborted => {
                let Some(batch) = self.committing.take() else { return };
                let commands = self.machine.on_aborted(batch.id);
                self.obey(commands);
            }
            Happens::Lost(partition) => {
                self.committing = None;
                let commands = self.machine.on_lost(&[partition].into());
                self.obey(commands);
            }
            Happens::Revoked(partition) => {
                let idle = self.machine.is_idle();
                let commands = self.machine.on_revoked(&[partition].into());
                if !idle {
                    self.committing = None;
                }
                self.obey(commands);
            }
            Happens::Assigned(partition) if !self.machine.assigned().contains(&partition) => {
                self.position.insert(partition, self.committed.get(&partition).copied().unwrap_or(0));
                self.machine.on_assigned([partition]);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_offset_below_the_committed_one_has_exactly_one_outcome(
        events in prop::collection::vec(happens(), 0..200)
    ) {
        let mut world = World::new();
        for event in &events {
            world.happen(event);
            prop_assert!(world.machine.in_flight_bytes() < LIMITS.in_flight_bytes + LARGEST);
        }
        for (partition, committed) in &world.committed {
            for offset in (0..*committed).filter(|offset| offset % 3 != 2) {
                prop_assert_eq!(world.outcomes.get(&(*partition, offset)), Some(&1));
            }
        }
        let all_once = world.outcomes.iter().all(|((partition, offset), n)| *n == 1 && offset < &world.committed[partition]);
        prop_assert!(all_once);
    }
}
