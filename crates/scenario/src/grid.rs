//! The grid of drives with two ports each, of Wang 2005, figure 3.2: each drive is on the main loop of its column and on the redundant loop
//! of its row. Grids are expanded in the tree of the file before anything of it is read, as templates are.
//!
//! `[array]` with `kind = "grid"` becomes a drive `array-COLUMN-ROW` for each crossing, a loop `array-column-COLUMN` for each column and
//! `array-row-ROW` for each row, and an adapter of that name for each loop at the component that `from` names: among the `adapters` of a
//! host, the `backs` of a controller or an array. A component that names `array` names all its drives, column by column.

use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;
use sansim_schema::suggest::shortened_for_print;
use sansim_schema::tree::{DocumentEntry, Table, Value, ValueNode};

/// The word for a grid.
const WORD: &str = "grid";
/// The keys of a grid.
const KEYS: [&str; 7] = ["kind", "columns", "rows", "from", "drive", "loop", "adapter"];
/// The names of the ports of a drive.
const PORTS: [&str; 2] = ["main", "redundant"];

/// Whether an entry of a file is a grid.
pub(crate) fn is_grid(entry: &DocumentEntry) -> bool {
    let kind = table_of(&entry.node).and_then(|table| table.get("kind"));
    kind.and_then(|kind| kind.node.text()).is_some_and(|kind| kind.trim() == WORD)
}

/// Expands all grids. None after an error, which has been reported.
pub(crate) fn expand(sink: &mut ProblemSink<'_>, root: &mut Table) -> Option<()> {
    let told = sink.problem_count();
    let entries = std::mem::take(&mut root.entries);
    let (grids, others): (Vec<DocumentEntry>, Vec<DocumentEntry>) = entries.into_iter().partition(is_grid);
    root.entries = others;
    for entry in &grids {
        let Some(grid) = Grid::read(sink, entry) else { continue };
        root.entries.extend(grid.drives());
        root.entries.extend(grid.loops(root));
        grid.give_adapters(sink, root);
        grid.name_drives(root);
    }
    (sink.problem_count() == told).then_some(())
}

/// A grid as it is written.
struct Grid<'t> {
    name: &'t str,
    place: SourceRange,
    columns: usize,
    rows: usize,
    from: String,
    table: &'t Table,
}

impl<'t> Grid<'t> {
    fn read(sink: &mut ProblemSink<'_>, entry: &'t DocumentEntry) -> Option<Self> {
        let (name, table) = (entry.key.as_str(), table_of(&entry.node)?);
        for key in &table.entries {
            if !KEYS.contains(&key.key.as_str()) {
                let path = format!("{}.{}", shortened_for_print(name), shortened_for_print(&key.key));
                let message = format!("a grid has no key `{}`", shortened_for_print(&key.key));
                let fault = Diagnostic::new(codes::UNKNOWN_KEY, key.key_place, message)
                    .with_label("unknown key")
                    .with_help("it has columns, rows and from, and the tables drive, loop and adapter");
                sink.report(&path, fault);
                return None;
            }
        }
        let columns = count(sink, entry, table, "columns")?;
        let rows = count(sink, entry, table, "rows")?;
        let Some(from) = table.get("from").and_then(|from| from.node.text()) else {
            let fault = Diagnostic::new(
                codes::MISSING_KEY,
                entry.key_place,
                format!("`{}` lacks the key `from`", shortened_for_print(name)),
            )
            .with_label("whose adapters do the loops begin at?")
            .with_help("name a host, a controller or an array");
            sink.report(&format!("{}.from", shortened_for_print(name)), fault);
            return None;
        };
        Some(Self { name, place: entry.key_place, columns, rows, from: from.to_owned(), table })
    }

    fn drive(&self, column: usize, row: usize) -> String {
        format!("{}-{column}-{row}", self.name)
    }

    fn text(&self, text: String) -> ValueNode {
        ValueNode { value: Value::Text(text), place: self.place, typed: None }
    }

    fn entry(&self, key: &str, node: ValueNode) -> DocumentEntry {
        DocumentEntry { key: key.to_owned(), key_place: self.place, node }
    }

    /// A table within the grid, or an empty one.
    fn inner(&self, key: &str) -> Table {
        self.table.get(key).and_then(|entry| table_of(&entry.node)).cloned().unwrap_or_default()
    }

    /// Sets a key that the table does not have yet.
    fn default(&self, table: &mut Table, key: &str, value: Value) {
        if table.get(key).is_none() {
            table.entries.push(self.entry(key, ValueNode { value, place: self.place, typed: None }));
        }
    }

    fn component(&self, name: String, table: Table) -> DocumentEntry {
        self.entry(&name, ValueNode { value: Value::Table(table), place: self.place, typed: None })
    }

    fn crossings(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.rows;
        (1..=self.columns).flat_map(move |column| (1..=rows).map(move |row| (column, row)))
    }

    /// Makes a drive for each crossing: its redundant port is used only if the other path has failed, unless the file says otherwise.
    fn drives(&self) -> Vec<DocumentEntry> {
        let drive = |(column, row)| {
            let mut table = self.inner("drive");
            self.default(&mut table, "kind", Value::Text("drives".to_owned()));
            self.default(&mut table, "count", Value::Integer(Some(1)));
            self.default(&mut table, "adapters", Value::Table(Table::default()));
            if let Some(adapters) = table.entries.iter_mut().find(|entry| entry.key == "adapters")
                && let Value::Table(adapters) = &mut adapters.node.value
            {
                PORTS.iter().for_each(|port| self.default(adapters, port, Value::Table(Table::default())));
                if let Some(redundant) = adapters.entries.iter_mut().find(|entry| entry.key == PORTS[1])
                    && let Value::Table(redundant) = &mut redundant.node.value
                {
                    self.default(redundant, "access", Value::Text("non-optimised".to_owned()));
                }
            }
            self.component(self.drive(column, row), table)
        };
        self.crossings().map(drive).collect()
    }

    /// The names of the loops, each with its drives and the port by which they are attached.
    fn rings(&self) -> Vec<(String, Vec<String>, &'static str)> {
        let column = |column: usize| {
            let drives = (1..=self.rows).map(|row| self.drive(column, row)).collect();
            (format!("{}-column-{column}", self.name), drives, PORTS[0])
        };
        let row = |row: usize| {
            let drives = (1..=self.columns).map(|column| self.drive(column, row)).collect();
            (format!("{}-row-{row}", self.name), drives, PORTS[1])
        };
        (1..=self.columns).map(column).chain((1..=self.rows).map(row)).collect()
    }

    /// The table with the adapters of the component in front of the grid: all adapters of a host, and the adapters towards drives of other
    /// components.
    fn asking(&self, root: &Table) -> &'static str {
        let from = root.entries.iter().find(|entry| entry.key == self.from);
        let kind = from.and_then(|from| table_of(&from.node)).and_then(|table| table.get("kind"));
        match kind.and_then(|kind| kind.node.text()).map(str::trim) {
            Some("host") | None => "adapters",
            Some(_) => "backs",
        }
    }

    fn loops(&self, root: &Table) -> Vec<DocumentEntry> {
        let asking = self.asking(root);
        let ring = |(name, drives, port): (String, Vec<String>, &str)| {
            let mut table = self.inner("loop");
            self.default(&mut table, "kind", Value::Text("arbitrated-loop".to_owned()));
            let mut stations = vec![self.text(format!("{}.{asking}.{name}", self.from))];
            stations.extend(drives.iter().map(|drive| self.text(format!("{drive}.adapters.{port}"))));
            self.default(&mut table, "stations", Value::List(stations));
            self.component(name, table)
        };
        self.rings().into_iter().map(ring).collect()
    }

    /// Gives the component in front of the grid an adapter for each loop.
    fn give_adapters(&self, sink: &mut ProblemSink<'_>, root: &mut Table) {
        let asking = self.asking(root);
        let from = root.entries.iter_mut().find(|entry| entry.key == self.from);
        let Some(Value::Table(from)) = from.map(|entry| &mut entry.node.value) else {
            let message = format!("there is no component `{}`", shortened_for_print(&self.from));
            let place = self.table.get("from").map_or(self.place, |from| from.node.place);
            let fault = Diagnostic::new(codes::UNKNOWN_NAME, place, message)
                .with_label("needs the name of a host, of a controller or of an array");
            sink.report(&format!("{}.from", shortened_for_print(self.name)), fault);
            return;
        };
        self.default(from, asking, Value::Table(Table::default()));
        let adapters = from.entries.iter_mut().find(|entry| entry.key == asking);
        let Some(Value::Table(adapters)) = adapters.map(|entry| &mut entry.node.value) else { return };
        for (name, ..) in self.rings() {
            self.default(adapters, &name, Value::Table(self.inner("adapter")));
        }
    }

    /// Replaces the name of the grid by the names of all its drives.
    fn name_drives(&self, root: &mut Table) {
        let drives: Vec<String> = self.crossings().map(|(column, row)| self.drive(column, row)).collect();
        for component in &mut root.entries {
            let Value::Table(table) = &mut component.node.value else { continue };
            for key in &mut table.entries {
                let place = key.node.place;
                let named = |node: &ValueNode| node.text() == Some(self.name);
                let node =
                    |drive: &String| ValueNode { value: Value::Text(drive.clone()), place, typed: None };
                match &mut key.node.value {
                    Value::List(items) if items.iter().any(named) => {
                        let all = std::mem::take(items).into_iter().flat_map(|item| {
                            if named(&item) { drives.iter().map(node).collect() } else { vec![item] }
                        });
                        *items = all.collect();
                    }
                    Value::Text(text) if key.key == "to" && text == self.name => {
                        key.node.value = Value::List(drives.iter().map(node).collect());
                    }
                    _ => {}
                }
            }
        }
    }
}

fn table_of(node: &ValueNode) -> Option<&Table> {
    match &node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// The number of columns or rows: at most the number of ports of a loop besides an adapter.
fn count(sink: &mut ProblemSink<'_>, entry: &DocumentEntry, table: &Table, key: &str) -> Option<usize> {
    let given = table.get(key);
    if let Some(Value::Integer(Some(count @ 1..=126))) = given.map(|given| &given.node.value) {
        return usize::try_from(*count).ok();
    }
    let place = given.map_or(entry.key_place, |given| given.node.place);
    let name = shortened_for_print(&entry.key);
    let message = format!("`{name}.{key}` has to be a number from 1 to 126");
    let fault = Diagnostic::new(codes::OUT_OF_RANGE, place, message)
        .with_label(format!("how many {key} has the grid?"));
    sink.report(&format!("{name}.{key}"), fault);
    None
}
