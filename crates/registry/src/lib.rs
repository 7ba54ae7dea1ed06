//! The kinds of components that a scenario can have, in one list.
//!
//! A kind is a structure declared with [`table!`](sansim_schema::table!) that is a [`ComponentKind`]: it defines how many members it has,
//! of which [`Part`]s each member consists, how the parts are joined and which ports it exposes. A kind that is a single component is
//! defined in the folder of that component; kinds that join components of several crates are defined here.
//!
//! To add a kind, write its line in `kinds!` below, and if it is built from a new component, a line for that component in `parts!`. No
//! other list has to be changed: reading, checks, the resolved scenario, the schema, the reference, the graph and the simulation are
//! generated from these lists.

#![forbid(unsafe_code)]

mod adapters;
mod appliance;
mod buses;
mod controller;
mod drives;
mod fl_port;
mod host;
mod ip_port;
mod metadata;
mod networks;
mod part;
mod passive;
mod presets;
mod processors;
mod register;
mod sides;
mod stacks;

pub use adapters::{InitiatorAdapter, TargetAdapter, keys_of_other_side};
pub use appliance::Appliance;
pub use buses::bus_port_count;
pub use controller::ControllerKind;
pub use drives::{DriveGroup, EqualDriveGroup};
pub use host::HostKind;
pub use networks::NetworkKind;
pub use passive::PassiveGroup;
pub use presets::{Preset, all_presets};
pub use register::{ComponentCategory, Kind};
pub use sansim_component::announced::AnnouncedProperties;
pub use sansim_component::component_kind::{
    CheckedRequest, ComponentKind, ComponentReference, EventAction, NetworkPort, NetworkPortRole,
    OfferedLoad, OwnProcessors, RandomOutage, ReferenceRelation,
};
pub use sansim_component::limits::LimitParameters;
pub use sansim_component::policy::{AccessState, InitiatorPathKeys, PolicyName, TargetPathKeys};
pub use sansim_component::{ControllerSide, PortKeys, UnitTransport};
pub use sansim_network::contract::{
    AddressFault, AttachedNode, CrossingPortEnd, InnerLinkEnd, InnerPort, Network, NetworkDrawing,
    NodeSoftware, RingHop,
};
pub use sides::{DeviceSideAdapter, HostSideAdapter};
pub use stacks::LayeredDeviceGroup;

use fl_port::FlPortParameters;
use metadata::{MetadataClientKind, MetadataControllerKind};
pub use part::RequestPace;
use part::parts;
use register::kinds;
use sansim_arrays::array::RaidParameters;
use sansim_arrays::block_cache::BlockCacheParameters;
use sansim_arrays::mirror::MirrorGroup;
use sansim_arrays::volumes::VolumesParameters;
use sansim_drives::data_sheet::DataSheetParameters;
use sansim_drives::disk::DiskDriveParameters;
use sansim_drives::flash::FlashDriveParameters;
use sansim_drives::ram::RamDiskParameters;
use sansim_drives::tape::TapeDriveParameters;
use sansim_network::ip_port::IpPortParameters;
use sansim_workload::backup::BackupParameters;
use sansim_workload::closed::WorkloadParameters;
use sansim_workload::fio_job::kind::FioJobParameters;
use sansim_workload::iometer::{AccessPatternParameters, IometerParameters};
use sansim_workload::spc1::Spc1Parameters;
use sansim_workload::spc2::Spc2Parameters;
use sansim_workload::synthetic::SyntheticParameters;
use sansim_workload::trace::TraceParameters;

/// A member of a component of any kind.
pub type KindMember = sansim_component::component_kind::Member<Part>;

kinds! {
    "arbitrated-loop", "a loop": ArbitratedLoop(NetworkKind<sansim_network::LoopNetwork>), Network, names in ["stations"],
        also ["loop", "fc-al", "fcal", "al", "ring", "fibre-channel", "fc-loop", "fc"];
    "host", "a host": Host(HostKind), Host, names in ["attached"],
        also ["hba", "server", "initiator", "adapter", "client", "host-adapter", "node"];
    "drives", "a group of drives": Drives(DriveGroup), Device, names in [],
        also ["hdd", "hdds", "target", "targets", "jbod", "storage", "enclosure", "device", "devices"];
    "disks", "a group of disks": Disks(EqualDriveGroup<DiskDriveParameters>), Device, names in [],
        also ["disk", "mechanical-disk", "mechanical-disks", "hard-disk", "hard-disks", "disksim"];
    "flash-drives", "a group of flash drives": FlashDrives(EqualDriveGroup<FlashDriveParameters>), Device, names in [],
        also ["flash", "ssd", "ssds", "flash-drive", "nvme", "solid-state", "mqsim"];
    "tape-drives", "a group of tape drives": TapeDrives(EqualDriveGroup<TapeDriveParameters>), Device, names in [],
        also ["tape-drive", "tapes", "lto", "streamer", "tape-library"];
    "ram-disks", "a group of RAM disks": RamDisks(EqualDriveGroup<RamDiskParameters>), Device, names in [],
        also ["ram", "ram-disk", "ramdisk", "dram", "memory"];
    "data-sheet-drives", "a group of drives": DataSheetDrives(EqualDriveGroup<DataSheetParameters>), Device, names in [],
        also ["data-sheet", "datasheet", "measured-drives", "measured"];
    "controller", "a storage controller": Controller(ControllerKind), Device, names in ["to", "inside"],
        also ["storage-controller", "bridge", "array-controller"];
    "appliance", "an in-band appliance": Appliance(Appliance), Device, names in ["to"],
        also ["sds", "storage-domain-server", "in-band", "in-band-appliance", "storage-manager", "san-appliance", "virtualiser",
            "virtualizer", "sansymphony"];
    "metadata-controller", "a metadata controller": MetadataController(MetadataControllerKind), Device, names in ["to"],
        also ["smdc", "metadata", "mdc", "metadata-server", "mds", "out-of-band", "lock-manager"];
    "metadata-client", "a client of a metadata controller": MetadataClient(MetadataClientKind), Device, names in ["to"],
        also ["san-client", "smdc-client", "shared-volume", "shared-volumes", "san-file-system"];
    "mirror", "a mirror": Mirror(MirrorGroup), Device, names in ["to"],
        also ["raid-1", "raid1", "mirrors", "replica"];
    "raid", "an array": Raid(LayeredDeviceGroup<RaidParameters>), Device, names in ["to", "inside"],
        also ["array", "raid-0", "raid0", "raid-10", "raid10", "raid-4", "raid4", "raid-5", "raid5", "raid-6", "raid6", "stripe", "striping",
            "parity", "declustered", "draid", "disk-array", "md"];
    "cache", "a cache": Cache(LayeredDeviceGroup<BlockCacheParameters>), Device, names in ["to", "inside"],
        also ["write-cache", "read-cache", "block-cache", "write-back", "dram", "buffer"];
    "volumes", "a group of volumes": Volumes(LayeredDeviceGroup<VolumesParameters>), Device, names in ["to", "inside"],
        also ["volume", "pool", "pools", "lun", "luns", "lvm", "slices", "partition", "partitions", "volume-group"];
    "passive", "a group of passive ports": Passive(PassiveGroup), Passive, names in [],
        also ["hub", "repeater", "port", "ports", "analyzer", "analyser", "bypass", "passive-hub"];
    "closed", "a workload": Closed(WorkloadParameters), Workload, names in ["from", "to"],
        also ["load", "job", "jobs", "traffic", "io", "ios", "benchmark", "closed-loop"];
    "synthetic", "a workload": Synthetic(SyntheticParameters), Workload, names in ["from", "to"],
        also ["workload", "open", "poisson", "random", "streams", "arrivals", "semi-open", "open-loop", "oltp"];
    "spc-1-like", "a workload": Spc1(Spc1Parameters), Workload, names in ["from", "to"],
        also ["spc1", "spc-1", "spc", "spc1-like", "spc-1-workload"];
    "spc-2-like", "a workload": Spc2(Spc2Parameters), Workload, names in ["from", "to"],
        also ["spc2", "spc-2", "spc2-like", "video-on-demand"];
    "backup", "a workload": Backup(BackupParameters), Workload, names in ["from", "to"],
        also ["tape", "restore", "archive", "sweep"];
    "fio-job", "a workload": FioJob(FioJobParameters), Workload, names in ["from", "to"],
        also ["fio", "fiojob", "fio-file"];
    "iometer", "a workload": Iometer(IometerParameters), Workload, names in ["from", "to"],
        also ["icf", "iometer-file"];
    "access-pattern", "a workload": AccessPattern(AccessPatternParameters), Workload, names in ["from", "to"],
        also ["access-specification", "file-server", "web-server", "workstation", "database", "streaming"];
    "trace", "a workload": Trace(TraceParameters), Workload, names in ["from", "to"],
        also ["replay", "trace-replay", "blktrace", "blkparse", "msr", "iolog", "trace-file"];
    "loop-switch", "a loop switch": LoopSwitch(NetworkKind<sansim_network::LoopSwitchNetwork>), Network, names in ["stations"],
        also ["sbod", "crossbar", "switched-loop", "loop-switches"];
    "fabric", "a fabric": Fabric(NetworkKind<sansim_network::FabricNetwork>), Network, names in ["stations"],
        also ["switch", "fc-switch", "director", "switches", "isl", "link", "trunk", "san", "network", "point-to-point", "switched-fabric", "fc-nvme"];
    "pcie", "a PCIe network": Pcie(NetworkKind<sansim_network::PcieNetwork>), Network, names in ["stations"],
        also ["pci-express", "nvme-pcie", "direct-nvme"];
    "scsi-bus", "a SCSI bus": ScsiBus(NetworkKind<sansim_network::ScsiBus>), Network, names in ["stations"],
        also ["scsi", "parallel-scsi", "spi", "ultra160", "ultra320", "ultra-scsi", "scsi-chain"];
    "tcp", "a network with TCP": Tcp(NetworkKind<sansim_network::TcpNetwork>), Network, names in ["stations"],
        also ["lan", "nas", "iscsi", "tcp-ip", "nfs", "cifs", "smb"];
    "ethernet", "an Ethernet": Ethernet(NetworkKind<sansim_network::EthernetNetwork>), Network, names in ["stations"],
        also ["gigabit-ethernet", "gbe", "lossless-ethernet", "dcb", "converged-ethernet", "data-centre-bridging", "leaf-spine", "roce", "rdma",
            "nvme-tcp", "nvme-rdma", "nvme-of", "nvmeof"];
    "fl-port", "an FL_Port": FlPort(FlPortParameters), Crossing, names in [],
        also ["fl_port", "flport", "loop-port", "public-loop"];
    "ip-port", "an IP port": IpPort(IpPortParameters), Ip, names in ["to"],
        also ["ip", "ipfc", "ip-over-fc", "ip-host", "ip-traffic", "background", "background-load"];
}

parts! {
    /// A loop with its ports.
    ArbitratedLoop(sansim_network::LoopNetwork), Network;
    /// The driver of a host.
    Host(sansim_host::driver::Host);
    /// A bus of a host or a controller.
    Bus(sansim_bus::Bus);
    /// An adapter that sends commands.
    Initiator(sansim_fcp::Initiator);
    /// An adapter that receives commands.
    Target(sansim_fcp::Target);
    /// A drive.
    Drive(sansim_drives::drive::Drive);
    /// A closed workload.
    Workload(sansim_workload::closed::Workload);
    /// A workload of streams.
    Streams(sansim_workload::streams::Streams);
    /// A storage controller.
    Controller(sansim_controllers::controller::Controller);
    /// A metadata controller.
    MetadataController(sansim_metadata::controller::MetadataController);
    /// A client of a metadata controller.
    MetadataClient(sansim_metadata::client::MetadataClient);
    /// Several devices with the same data.
    Mirror(sansim_arrays::mirror::Mirror);
    /// The processors of a host.
    Processors(sansim_processors::Processors);
    /// A drive that is described by its data sheet.
    DataSheetDrive(sansim_drives::data_sheet::DataSheetDrive);
    /// A drive with a mechanical disk.
    DiskDrive(sansim_drives::disk::DiskDrive);
    /// A flash drive.
    FlashStorage(sansim_drives::flash::FlashStorage);
    /// A tape drive.
    TapeDrive(sansim_drives::tape::TapeDrive);
    /// A RAM disk.
    RamDisk(sansim_drives::ram::RamDisk);
    /// A cache before devices.
    Cache(sansim_arrays::block_cache::DeviceCache);
    /// Volumes over devices.
    Volumes(sansim_arrays::volumes::Volumes);
    /// An array.
    DiskArray(sansim_arrays::array::DiskArray);
    /// A loop switch with the ports of its stations.
    LoopSwitch(sansim_network::LoopSwitchNetwork), Network;
    /// The processors of an in-band appliance, with its software.
    StackProcessors(sansim_processors::stack::StackProcessors);
    /// The resources that the modules of a storage controller share.
    Resources(sansim_controllers::resources::ControllerResourcePool);
    /// A fabric of switches and links.
    Fabric(sansim_network::FabricNetwork), Network;
    /// The links of PCI Express between a host and its drives.
    Pcie(sansim_network::PcieNetwork), Network;
    /// A parallel SCSI bus with the ports at it.
    ScsiBus(sansim_network::ScsiBus), Network;
    /// A switched network with TCP.
    Tcp(sansim_network::TcpNetwork), Network;
    /// An Ethernet of switches, with TCP.
    Ethernet(sansim_network::EthernetNetwork), Network;
    /// A port of a switch that is a port of a loop, too.
    FlPort(sansim_network::FlPortNetwork);
    /// A port with IP behind it.
    IpPort(sansim_network::IpPortComponent);
}

/// The message about a table whose kind had another meaning in earlier versions: `has` returns whether the table has a key.
pub fn former_kind_message(word: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let was_host = word == "controller" && ["driver", "port", "adapter", "schedule"].into_iter().any(has);
    was_host.then_some("a controller with an operating system's driver is a host: write kind = \"host\"")
}

/// The kind that a word means.
pub fn kind_with_word(word: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::context::Facts;
    use sansim_schema::doc::TableDoc;
    use sansim_schema::quantities::Folder;

    #[test]
    fn every_default_and_every_example_can_be_read() {
        let folder = std::env::temp_dir().join(format!("sansim-kinds-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for file in ["trace.csv.gz", "job.fio", "test.icf", "drive.csv"] {
            std::fs::write(folder.join(file), "which is not looked into\n").expect("a file");
        }
        let context = Facts::default().with_fact(Folder(folder.clone()));
        for kind in KINDS {
            assert_eq!((kind.unreadable_defaults)(&context), Vec::<&str>::new(), "{}", kind.word);
        }
        std::fs::remove_dir_all(folder).expect("gone");
    }

    #[test]
    fn one_and_several_of_a_kind_are_called_as_people_do() {
        let called = |word: &str| kind_with_word(word).expect("a kind").member_nouns();
        assert_eq!(called("drives"), ["drive", "drives"]);
        assert_eq!(called("raid"), ["array", "arrays"]);
        assert_eq!(called("loop-switch"), ["loop switch", "loop switches"]);
        assert_eq!(called("scsi-bus"), ["SCSI bus", "SCSI buses"]);
        assert_eq!(called("tcp"), ["network with TCP", "networks with TCP"]);
        assert_eq!(
            called("metadata-client"),
            ["client of a metadata controller", "clients of a metadata controller"]
        );
    }

    #[test]
    fn every_key_is_documented() {
        fn check(table: &TableDoc) {
            assert!(!table.doc.is_empty());
            for field in &table.fields {
                assert!(field.doc.ends_with('.'), "{}: {}", field.name, field.doc);
                assert!(!field.written.is_empty());
            }
            table.tables.iter().for_each(|inner| check(&inner.table));
        }
        KINDS.iter().for_each(|kind| check(&(kind.describe)()));
    }

    #[test]
    fn the_keys_that_name_others_are_keys() {
        for kind in KINDS {
            let table = (kind.describe)();
            for key in kind.names_in {
                assert!(table.fields.iter().any(|field| field.name == *key), "{}.{key}", kind.word);
            }
        }
    }
}
