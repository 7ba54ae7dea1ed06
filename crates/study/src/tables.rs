//! The tables of a study file and their keys.

use sansim_schema::outline;
use sansim_schema::quantities::{Choice, Flag, Text};

use crate::shapes::{
    axis as an_axis, axis_or_metric, count, format, key, metric as a_metric, number, numbers, one_or_more,
    order, pair, place, quantity, settings, share, target, text, value, values, zip,
};
use crate::words::{AxisShape, AxisValue, ClaimKind, PlotAxis, Spacing, UnjudgedVerdict};

outline! {
    /// A study: a scenario, what is varied, what is measured, what is expected.
    pub fn study_file_table {
        /// The format of the file: 1. A file without it has format 0, which `sansim migrate` rewrites.
        format: format(), optional "0";
        /// One line that names the study.
        title: Text, optional "the name of the file";
        /// The work that is reproduced; the source of expected values that name none.
        source: Text, optional "";
        /// The purpose of the study; any number of lines.
        description: Text, optional "";
        /// The base scenario: a file, seen from the folder of the study file, or the text of one in `"""` quotes.
        scenario: text("name of a file, or text of several lines"), required "\"system.toml\"";
        /// Axes that advance together, with equally many values.
        zip: zip(), optional "none: every combination is run";
        /// Settings for all points; they replace those of the scenario.
        set: settings(), optional "";
    }
    tables {
        /// The axes that are varied, by name.
        axes: named axis, any;
        replications: once replications, any;
        /// The measured metrics, by name.
        metrics: named metric, required;
        /// Published values and claims.
        expected: listed group, any;
        /// Targets that are not judged.
        remarks: listed remark, any;
        /// Constants and readings that were fitted to, or chosen with, published values.
        chosen: listed chosen, any;
        leave_out: once leave_out, any;
        /// Figures.
        plots: listed plot, any;
    }
}

outline! {
    /// An axis of the study: a key, or several keys, whose values are varied. Its values are a list (`values`), a range (`from`, `to` and
    /// one of `step`, `factor` and `points`), or `cases`. The last axis of the file varies fastest.
    fn axis {
        /// The key of the scenario that is varied.
        key: key(), needed "without `keys` and `cases`";
        /// Several keys that get the same value. An empty list sets nothing: such an axis counts through a list of the summary.
        keys: one_or_more(key()), optional "";
        /// The values, as they would be written in the scenario.
        values: values(), optional "";
        /// The first value of a range.
        from: quantity(), optional "";
        /// The end of a range.
        to: quantity(), needed "with `from`";
        /// The distance of the values of a range.
        step: quantity(), optional "";
        /// The ratio of neighbouring values of a range.
        factor: number(), optional "";
        /// How many values a range has.
        points: count(), optional "";
        /// How `points` are spaced.
        spacing: Choice::<Spacing>::ANY, default "\"log\"";
        /// Names of the values, one for each.
        labels: one_or_more(Text), optional "the values as they are written";
        /// The name of the axis in plots and tables.
        label: Text, optional "its name";
        /// The unit in which its numbers are shown.
        unit: text("unit"), optional "the one in which they are written";
    }
    tables {
        /// Values that set several keys each.
        cases: listed case, some;
    }
}

outline! {
    /// A value of an axis that sets several keys.
    fn case {
        /// The name of the value.
        label: Text, required "\"12 disks\"";
        /// The number that formulas, slopes and plots use.
        value: quantity(), optional "none: the value is a word";
        /// The keys that it sets.
        set: settings(), required "{ \"drives.count\" = 12 }";
    }
}

outline! {
    /// How often each point is run. Run r of every point has the seed `run.seed` + r.
    fn replications {
        /// Runs of each point.
        count: count(), default "1";
        /// Runs are added until the 95 % interval of `metric` is within this share of its mean, at every point.
        within: share(), optional "none are added";
        /// The metric to which the precision of `within` applies.
        metric: a_metric(), needed "with `within`";
        /// With `within`: runs of a point at most.
        most: count(), optional "100, or `count` if that is more";
    }
}

outline! {
    /// Something that is measured at every point, in one of five forms: `value`, `setting`, `formula`, `of` with `along` and `take`, or
    /// `trace`.
    fn metric {
        /// A figure of the run's summary by its path in `sansim run --json`. `{AXIS}` in it is the number of an axis at the point:
        /// `passes.workload.finished_s.{drive}`.
        value: text("path, as `\"response_time_ns.mean\"`"), optional "";
        /// With `value`: the figure of this workload, `workloads.NAME.` before the path.
        workload: text("name of a workload"), optional "";
        /// With `workload`: of this stream of it.
        stream: text("name of a stream"), optional "";
        /// With `value`: the figure of this host, `hosts.NAME.` before the path.
        host: text("name of a host"), optional "";
        /// With `value`: the figure of this device, as `"disks[3]"`, `devices.NAME.` before the path; with `host` what that host got
        /// of it, where there are several hosts.
        device: text("name of a device"), optional "";
        /// With `value`: the figure of all devices of this component, as `"disks"`, `device_groups.NAME.` before the path.
        device_group: text("name of a component with devices"), optional "";
        /// A value of the resolved scenario, as it applies at the point.
        setting: key(), optional "";
        /// Arithmetic over other metrics, in their units, and axes, in bytes, ns, bytes/s, m, plain numbers, or the `value` of a
        /// case: `+ - * / ** ( )` and `min max ceil floor round abs sqrt log exp`.
        formula: text("formula"), optional "";
        /// The metric of which one value is taken for all of an axis, which vanishes. It may itself be taken along another axis.
        of: a_metric(), optional "";
        /// With `of`: the axis along which it is taken.
        along: an_axis(), needed "with `of`";
        /// With `of`: what is taken.
        take: Choice::<AxisValue>::ANY, needed "with `of`";
        /// With `of`: the first and the last value of the axis that count.
        over: pair("list of two values of the axis"), optional "all of the axis";
        /// With `ratio`, `difference` and `gain`: the two values of the axis that are compared, the first against the second.
        between: pair("list of two values of the axis"), needed "with these three";
        /// With `knee`: the share of the maximum.
        reach: share(), default "\"95 %\"";
        /// With `begins` and `ends`: the threshold; a bare number is in the unit of `of`.
        above: quantity(), needed "with these two, without `below`";
        /// With `begins` and `ends`: the threshold; a bare number is in the unit of `of`.
        below: quantity(), needed "with these two, without `above`";
        /// With `slope`: the distance on the axis that counts as one step.
        per: quantity(), optional "1 byte, ns, byte/s or m, or 1";
        /// The unit it is shown in; values are converted to it, but the result of a formula, which is taken to be in it.
        unit: text("unit"), optional "that of the figure; with `of` that of `of`, `%` for `gain` and `spread`, that of the axis for its values";
        /// The name of the metric in plots and tables.
        label: Text, optional "its name";
    }
    tables {
        trace: once trace, any;
    }
}

outline! {
    /// The time from one line of a word trace to a later one. A line is named by port and what it sends: `controller OPN`,
    /// `disks[3] R_RDY`, `controller => OPEN` for a state; `#2` behind it is the second such line, `end of` before it its last word.
    fn trace {
        /// The first line.
        from: text("line of a trace"), required "\"controller OPN\"";
        /// The line behind it.
        to: text("line of a trace"), required "\"drive[0] R_RDY\"";
    }
}

outline! {
    /// A claim about a metric: a number (`value`), bounds (`between`; `above`, `below`, or both) or a shape (`rule`).
    fn claim {
        /// The target; several rows may share one, then all of them have to hold.
        id: Text, needed "here or in the group";
        /// The metric that is expected to have a value.
        metric: a_metric(), needed "here or in the group";
        /// The point at which the value is expected: a value of each axis, by its label or in another form of the same value. With several
        /// places, or axes that are not named, it has to hold at all of them.
        at: place(), optional "everywhere";
        /// The sort of claim, which decides how far ours may be from a published value.
        kind: Choice::<ClaimKind>::ANY, default "\"exact\"";
        /// The published value: a number; of a metric that is a `setting`, also a word or true or false.
        value: value(), optional "";
        /// How far ours may be from it: a share of it, `"3 %"`, or a distance, `"0.1 ns"`.
        tolerance: quantity(), optional "what its `kind` says";
        /// How far the true number may be from the printed one, half of the last digit: ours may be as far, where that is more than the
        /// tolerance.
        rounding: quantity(), default "0";
        /// Ours lies between these, with the whole of its interval.
        between: pair("list of two numbers, or of two with their units"), optional "";
        /// Ours is above this, with the whole of its interval.
        above: quantity(), optional "";
        /// Ours is below this, with the whole of its interval.
        below: quantity(), optional "";
        /// The shape along an axis.
        rule: Choice::<AxisShape>::ANY, optional "";
        /// The axis of the shape.
        along: an_axis(), needed "with `rule`";
        /// The deviation that a rule lets pass.
        slack: share(), optional "1 % for `constant` and `linear`, nothing for the others";
        /// With `order`: the values of the axis, the one with the largest value of the metric first.
        expect: order(), needed "with `order`";
        /// The first and the last value of the axis that the rule is about.
        over: pair("list of two values of the axis"), optional "all of the axis";
        /// The unit of the published number.
        unit: text("unit"), optional "that of the metric";
        /// Where it was published.
        source: Text, optional "that of the study";
        /// Notes on it, above all if it is missed.
        note: Text, optional "";
        /// From what the published number was computed, if it is not printed itself.
        derived: Text, optional "";
        /// The printed value, if that is a misprint; the row has the side that is taken.
        corrected: Text, optional "";
        /// Why the row says nothing about a run: it adds up settings, is geometry, or an identity as Little's law.
        restates: Text, optional "";
        /// The meaning of a miss for a reader who trusts the simulator with a design.
        means: Text, optional "";
        /// Whether it belongs to `sansim validate --quick`; only the points it needs are run then.
        quick: Flag, default "false";
    }
}

outline! {
    /// A group of claims; its keys hold for all its rows. Without rows it is a single claim.
    fn group {}
    parts(claim)
    tables {
        /// The claims of the group, each of which may say otherwise.
        rows: listed row, some;
    }
}

outline! {
    /// A claim of the group, which may say otherwise.
    fn row {}
    parts(claim)
}

outline! {
    /// A target that is not judged, so that a list of targets can be complete.
    fn remark {
        /// The target; it has no row.
        id: Text, required "\"W-M01\"";
        /// The verdict on it.
        verdict: Choice::<UnjudgedVerdict>::ANY, required "\"no-run\"";
        /// Why it is not judged.
        text: Text, required "\"why no run can judge it\"";
        /// The target that is the same number, under which it counts.
        same_as: Text, optional "";
    }
}

outline! {
    /// Something that was fitted to, or chosen with, published values: the rows used for fitting are seen, not predicted.
    fn chosen {
        /// A key of the scenario, or a reading of the source in words.
        what: Text, required "\"loop.port_delay\"";
        /// Its value, and why it is that.
        how: Text, required "\"33 ns: fitted to the slope of large writes\"";
        /// The targets of this file that were used for fitting.
        saw: one_or_more(target()), required "[\"W-X02\", \"W-T65-*\"]";
    }
}

outline! {
    /// How constants are chosen again on half of the rows and judged by the other half.
    fn leave_out {
        /// The targets that take part: numbers, each at one value of the axis `halves`.
        rows: one_or_more(target()), required "[\"W-T65-*\"]";
        /// The axis by whose values the rows are halved: every second one.
        halves: an_axis(), required "\"size\"";
        /// Settings for all of these runs.
        set: settings(), optional "";
    }
    tables {
        /// The values that are searched, by name: every combination is run.
        constants: named axis, required;
    }
}

outline! {
    /// A figure. Its bands and bars are 95 % intervals.
    fn plot {
        /// The name of its file.
        name: Text, required "\"figure-1\"";
        /// The title above it.
        title: Text, optional "its name";
        /// The axis it is drawn along; or a metric, as the IOPS: one for all of `y`, or one for each. Their points are then joined along the axis that `lines`, `panels` and `at` leave.
        x: one_or_more(axis_or_metric()), required "\"size\"";
        /// The metric or metrics.
        y: one_or_more(a_metric()), required "\"throughput\"";
        /// Axes whose values are distinguished by colour and marker.
        lines: one_or_more(an_axis()), optional "";
        /// The axis whose values have a panel each.
        panels: an_axis(), optional "";
        /// The values of other axes that are drawn.
        at: place(), optional "all";
        /// The axes of the plot that are logarithmic.
        log: one_or_more(Choice::<PlotAxis>::ANY), optional "none";
        /// Metrics taken along `x` that are a value of it, as an `elbow` or a `peak`: marked on the line of the metric they are taken of.
        marks: one_or_more(a_metric()), optional "none";
        /// Whether published values are drawn beside ours.
        published: Flag, default "true";
    }
    tables {
        /// Points of another source that are drawn over the lines, as a measured curve.
        points: listed points, any;
    }
}

outline! {
    /// Points from elsewhere, joined in the given order; with a metric as `x` they may run back.
    fn points {
        /// The entry in the legend.
        label: Text, required "\"measured\"";
        /// The metric of `y` whose panel they are drawn in.
        of: a_metric(), optional "the first";
        /// Where they lie along `x`, in its unit.
        x: numbers(), required "[1000, 2000, 4000]";
        /// Their heights, in the unit of the metric.
        y: numbers(), required "[0.2, 0.25, 0.4]";
        /// The source.
        source: Text, optional "";
    }
}
