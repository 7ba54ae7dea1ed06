//! Tables as TOML.

use std::fmt::Write as _;
use std::rc::Rc;

use crate::context::Context;

/// Writes tables as TOML.
pub struct Writer {
    /// What has been written.
    pub out: String,
    context: Rc<Context>,
    path: String,
}

impl Writer {
    /// One that has written nothing.
    pub fn new(context: Context) -> Writer {
        Writer { out: String::new(), context: Rc::new(context), path: String::new() }
    }

    /// The surroundings of the table that is being written.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// A key with its value, or, if the value only `follows` another key, the same as a comment: so that changing
    /// the other key later still has its effect.
    pub fn field(&mut self, key: &str, toml: &str, follows: Option<&str>) {
        let _ = match follows {
            Some(followed) => writeln!(self.out, "# {key} = {toml}   (follows {followed})"),
            None => writeln!(self.out, "{key} = {toml}"),
        };
    }

    /// A table within the present one, at a dotted path, of which `content` writes the keys.
    pub fn table(&mut self, key: &str, kind: Option<&str>, content: impl FnOnce(&mut Writer)) {
        let outer = self.path.clone();
        let surroundings = Rc::clone(&self.context);
        self.context = surroundings.shared(key);
        self.path = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
        let _ = writeln!(self.out, "\n[{}]", self.path);
        if let Some(kind) = kind {
            let _ = writeln!(self.out, "kind = \"{kind}\"");
        }
        content(self);
        self.path = outer;
        self.context = surroundings;
    }
}
