//! SCSI IDs: their assignment, and the winner of an arbitration.
//!
//! Source: SPI-3, arbitration. Among the IDs that assert their line, the one with the highest priority wins: 7, then 6 to 0, then 15 to 8.
//! There is no fairness: a node with a low ID waits as long as other nodes want the bus. The address of a node is its ID plus one, like the
//! port number of a switch, so that no node has the null address.

use crate::parameters::ScsiBusParameters;
use sansim_pdu::Address;

/// All IDs, highest priority first.
pub const BY_PRIORITY: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/// The address of a node with this ID.
pub fn address_of_id(id: u8) -> Address {
    Address::new((u32::from(id) + 1) << 8)
}

/// The ID of a node at this address.
pub fn id_of_address(address: Address) -> u8 {
    ((address.value() >> 8) as u8).wrapping_sub(1)
}

/// The rank of an ID in arbitration; the ID of rank 0 wins over all others.
pub fn arbitration_rank(id: u8) -> usize {
    BY_PRIORITY.iter().position(|&other| other == id).unwrap_or(BY_PRIORITY.len())
}

/// The addresses of the nodes of a bus, in the order of the nodes. `initiates` says for each node whether it sends commands.
///
/// # Errors
///
/// An error if there are more nodes than IDs, or if the number of given IDs is not the number of nodes.
pub fn assign_addresses(parameters: &ScsiBusParameters, initiates: &[bool]) -> Result<Vec<Address>, String> {
    let (most, given) = (parameters.speed.id_count(), &parameters.ids);
    if initiates.len() > most {
        return Err(format!(
            "{} ports on a SCSI bus: with \"{}\" it has {most} IDs",
            initiates.len(),
            parameters.speed
        ));
    }
    if !given.is_empty() && given.len() != initiates.len() {
        return Err(format!("{} SCSI IDs are given for {} ports", given.len(), initiates.len()));
    }
    if !given.is_empty() {
        return Ok(given.iter().map(|&id| address_of_id(id)).collect());
    }
    let mut free = BY_PRIORITY.into_iter();
    let mut addresses = vec![Address::default(); initiates.len()];
    for first in [true, false] {
        for (&is_first, at) in initiates.iter().zip(&mut addresses) {
            if is_first == first
                && let Some(id) = free.next()
            {
                *at = address_of_id(id);
            }
        }
    }
    Ok(addresses)
}
