//! The ports that take part in a cached circuit.

use super::PortSet;

/// The owner of a circuit, its other end, and the other ports that are awake because they arbitrate or wait for access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ports {
    ports: [u8; Self::MOST],
    count: u8,
    set: PortSet,
}

impl Ports {
    /// The most ports of a cached circuit; circuits with more ports are not cached.
    pub(super) const MOST: usize = 4;

    /// The two ends of a circuit, without other ports.
    pub(super) fn ends(owner: usize, other: usize) -> Self {
        let set = PortSet(1 << owner | 1 << other);
        Self { ports: [owner as u8, other as u8, 0, 0], count: 2, set }
    }

    /// The two ends of a circuit with other ports, if the ports are not too many.
    pub(super) fn beside(mut self, others: PortSet) -> Option<Self> {
        for port in others.iter() {
            *self.ports.get_mut(usize::from(self.count))? = port as u8;
            self.count += 1;
        }
        self.set = self.set.with(others, others);
        Some(self)
    }

    /// The number of ports of the circuit.
    pub(super) fn count(&self) -> usize {
        self.count.into()
    }

    /// All ports of the circuit: first the owner, then the other end.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let ports = self.ports;
        (0..usize::from(self.count).min(Self::MOST)).map(move |number| ports[number].into())
    }

    /// The two ends of the circuit.
    pub(super) fn both(&self) -> [usize; 2] {
        [self.ports[0].into(), self.ports[1].into()]
    }

    /// Whether the port with this number is an end of the circuit.
    pub(super) fn is_end(&self, number: u8) -> bool {
        number < 2
    }

    /// The port with this number.
    pub(super) fn at(&self, number: u8) -> usize {
        self.ports[usize::from(number) % Self::MOST].into()
    }

    /// The number of a port within the circuit, if the port belongs to the circuit.
    #[inline]
    pub(super) fn number_of(&self, port: usize) -> Option<u8> {
        self.iter().position(|other| other == port).map(|number| number as u8)
    }

    #[inline]
    pub(super) fn contains(&self, port: usize) -> bool {
        self.number_of(port).is_some()
    }

    /// The next port of the circuit downstream of the given port.
    pub(super) fn behind(&self, port: usize) -> usize {
        self.set.next_after(port).unwrap_or(port)
    }

    /// The ports of the circuit as a set.
    pub(super) fn set(&self) -> PortSet {
        self.set
    }
}
