//! The keys of a network port, as a scenario gives them.
//!
//! A loop reads the buffers, the delay and the arbitration of a port; a network of another protocol reads keys of its own. A network
//! therefore reads the type that it knows ([`PortKeys::keys_of_protocol`]), and all code between the scenario and the network only passes
//! the keys on.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The keys of a port of any network.
#[derive(Clone)]
pub struct PortKeys(Arc<dyn Keys>);

/// Keys that can be printed, compared and read back.
trait Keys: Any + fmt::Debug + Send + Sync {
    fn equal(&self, other: &dyn Any) -> bool;
    fn any(&self) -> &dyn Any;
}

impl<T: Any + fmt::Debug + PartialEq + Send + Sync> Keys for T {
    fn equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl PortKeys {
    /// Wraps the keys of a port.
    pub fn new<T: Any + fmt::Debug + PartialEq + Send + Sync>(keys: T) -> Self {
        Self(Arc::new(keys))
    }

    /// The keys of one protocol; none if the keys are of another protocol.
    pub fn keys_of_protocol<T: Any>(&self) -> Option<&T> {
        (*self.0).any().downcast_ref()
    }
}

impl PartialEq for PortKeys {
    fn eq(&self, other: &Self) -> bool {
        self.0.equal((*other.0).any())
    }
}

impl fmt::Debug for PortKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::PortKeys;

    #[test]
    fn keys_are_read_by_who_knows_their_type_and_by_nobody_else() {
        let keys = PortKeys::new(("cable", 30_u64));
        assert_eq!(keys.keys_of_protocol::<(&str, u64)>(), Some(&("cable", 30)));
        assert_eq!(keys.keys_of_protocol::<u64>(), None);
    }

    #[test]
    fn keys_are_equal_if_their_types_and_values_are() {
        let keys = PortKeys::new(3_u64);
        assert_eq!(keys, keys.clone());
        assert_eq!(keys, PortKeys::new(3_u64));
        assert_ne!(keys, PortKeys::new(4_u64));
        assert_ne!(keys, PortKeys::new(3_u32));
    }
}
