//! The common part of all kinds of workloads that are made of streams.

/// Makes a kind of workload from a structure with the keys `from`, `to` and those of a group, and with a method `plan` that makes its
/// streams from its keys. `size_key` is the key to which errors point when requests are too large for a device; `remarks` may name a method
/// that explains how the keys are understood, and `names` a method that checks the names of the devices.
macro_rules! kind_of_streams {
    ($name:ty, $size_key:literal $(, unused $unused:ident)? $(, remarks $remarks:ident)? $(, names $names:ident)?) => {
        impl<P: sansim_component::component_kind::PartList<$crate::streams::Streams>>
            sansim_component::component_kind::ComponentKind<P> for $name
        {
            fn member(&self) -> sansim_component::component_kind::Member<P> {
                #[allow(unused_mut)]
                let mut member =
                    sansim_component::component_kind::Member::single_part_member::<$crate::streams::Streams>(self.plan()).with_request_targets();
                $(member.unused.extend(self.$unused());)?
                member
            }

            fn members(&self) -> Option<u32> {
                self.group.count
            }

            fn division(&self) -> sansim_component::groups::DeviceDivision {
                self.group.devices_each
            }

            fn references(&self) -> Vec<sansim_component::component_kind::ComponentReference<'_>> {
                $crate::aims::reference_keys(&self.from, &self.to)
            }

            fn limits(&self) -> sansim_component::limits::LimitParameters {
                self.limits
            }

            fn load(&self) -> Option<sansim_component::component_kind::OfferedLoad> {
                Some($crate::streams::plan::load_of(&self.plan(), $size_key))
            }

            fn stripes(&self) -> Vec<(String, u64)> {
                use $crate::streams::source::SourcePlan as _;
                let streams = self.plan().streams.into_iter();
                streams.filter_map(|stream| Some((stream.name, stream.content.stripe_bytes()?))).collect()
            }

            fn streams(&self) -> Vec<sansim_component::component_kind::StreamName> {
                self.plan().parse_names()
            }

            $(fn remarks(&self) -> Vec<String> {
                self.$remarks()
            })?

            $(fn check_devices(&self, names: &[&str], keys: &mut sansim_schema::keys::Keys<'_, '_>) {
                self.$names(names, keys);
            })?
        }
    };
}

pub(crate) use kind_of_streams;
