//! What several tests need.

/// A linear congruential generator (Knuth's constants): enough to pick with, and the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % bound
    }
}
