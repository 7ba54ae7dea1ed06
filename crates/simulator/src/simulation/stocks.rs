//! Samples of the stocks of components during a run, from which [`crate::steady`] finds drifts.

use super::Simulation;
use sansim_component::StockLevel;
use sansim_kernel::Time;

impl Simulation<'_> {
    /// Samples the stocks of all components.
    #[cold]
    pub(crate) fn look_at_stocks(&mut self, now: Time) {
        for stock in 0..self.watch.stocks.len() {
            let level = self.level(now, stock);
            self.watch.saw(level);
        }
        self.watch.looked(now);
    }

    /// The level of a stock, added up over the members of its group; none if a member has no level.
    fn level(&self, now: Time, stock: usize) -> Option<StockLevel> {
        let watched = &self.watch.stocks[stock];
        let mut all: Option<StockLevel> = None;
        for &member in &watched.members {
            let level = self.look(member).stock_level(now, watched.number)?;
            let sum = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
            all = Some(all.map_or(level, |all| StockLevel {
                level: all.level + level.level,
                came: sum(all.came, level.came),
                from: sum(all.from, level.from),
                to: sum(all.to, level.to),
            }));
        }
        all
    }
}
