//! Places of a view where matches are wanted.
//!
//! Most patterns of short rows of digits mean nothing without a word that names them. A document is full of such rows
//! and has few such words, so an engine is asked for matches of these patterns only where a word can make something of
//! them.

use std::ops::Range;

/// Where matches of each group of patterns are wanted: ranges of the view in which they may start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    ranges: Vec<Range<usize>>,
    /// Each group with its part of `ranges`, by group.
    groups: Vec<(usize, Range<usize>)>,
}

impl Places {
    /// Adds a group's ranges, in any order; they may overlap. Groups are added in order, each once.
    pub fn add(&mut self, group: usize, ranges: &mut [Range<usize>]) {
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let first = self.ranges.len();
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            match self.ranges[first..].last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => self.ranges.push(range.clone()),
            }
        }
        if first < self.ranges.len() {
            self.groups.push((group, first..self.ranges.len()));
        }
    }

    /// The groups with their ranges, which are in order and do not touch.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[Range<usize>])> + '_ {
        self.groups.iter().map(|(group, ranges)| (*group, &self.ranges[ranges.clone()]))
    }

    /// Whether a match of this group that starts there is wanted. Logarithmic.
    pub fn contains(&self, group: usize, start: usize) -> bool {
        let Ok(at) = self.groups.binary_search_by_key(&group, |(group, _)| *group) else { return false };
        let ranges = &self.ranges[self.groups[at].1.clone()];
        ranges.get(ranges.partition_point(|range| range.end <= start)).is_some_and(|range| range.contains(&start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_group_are_put_together() {
        let mut places = Places::default();
        places.add(1, &mut [8..9, 3..5, 1..6, 4..4]);
        places.add(2, &mut [6..6, 7..7]);
        places.add(5, &mut [2..4, 6..7]);
        assert_eq!(places.iter().collect::<Vec<_>>(), [(1, &[1..6, 8..9][..]), (5, &[2..4, 6..7][..])]);
        let starts = |group| (0..10).filter(|start| places.contains(group, *start)).collect::<Vec<_>>();
        assert_eq!([starts(1), starts(2), starts(5)], [vec![1, 2, 3, 4, 5, 8], vec![], vec![2, 3, 6]]);
    }
}
