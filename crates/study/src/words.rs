//! The words of study files.

use sansim_schema::words;

words! {
    /// How the values of a range that says how many it has are spaced.
    pub enum Spacing {
        /// By equal ratios.
        Log = "log",
        /// By equal steps.
        Linear = "linear",
    }
}

words! {
    /// The value that is taken of a metric along an axis.
    pub enum AxisValue {
        /// The slope of the least-squares line, per base unit of the axis, or per `per`.
        Slope = "slope",
        /// The value of the least-squares line where the axis is 0.
        Intercept = "intercept",
        /// The greatest value.
        Maximum = "maximum",
        /// The least value.
        Minimum = "minimum",
        /// The mean of the values.
        Mean = "mean",
        /// The first value.
        First = "first",
        /// The last value.
        Last = "last",
        /// The greatest value minus the least.
        Span = "span",
        /// The greatest value over the least, minus 1, in %.
        Spread = "spread",
        /// The value of the axis at the maximum.
        Peak = "peak",
        /// The first value of the axis at which the metric is at least `reach` of its maximum.
        Knee = "knee",
        /// The value of the axis at which the curve bends most, as the knee of response times over the load: the one farthest from the
        /// straight line between its ends, both axes from 0 to 1 (Satopaa et al., "Finding a Kneedle in a Haystack", 2011).
        /// Points without a value because a workload is unstable there are left out.
        Elbow = "elbow",
        /// The first value of the axis from which on the metric is `above` or `below` a threshold.
        Begins = "begins",
        /// The last value of the axis up to which the metric is `above` or `below` a threshold.
        Ends = "ends",
        /// With `between = [A, B]`: A / B.
        Ratio = "ratio",
        /// With `between = [A, B]`: A − B.
        Difference = "difference",
        /// With `between = [A, B]`: 100 (A / B − 1), in %.
        Gain = "gain",
    }
}

words! {
    /// The sort of claim that a row makes.
    pub enum ClaimKind {
        /// The result of a simulation or of arithmetic: 3 %.
        Exact = "exact",
        /// A measurement: 10 %.
        Measured = "measured",
        /// A value printed with an "about": 10 %.
        Approximate = "approximate",
        /// A claim about a side or a shape.
        Trend = "trend",
        /// A setting: 0.1 %.
        Parameter = "parameter",
    }
}

words! {
    /// A shape along an axis.
    pub enum AxisShape {
        /// Up at every step, but for `slack`.
        Increasing = "increasing",
        /// Down at every step, but for `slack`.
        Decreasing = "decreasing",
        /// All values are the same.
        Constant = "constant",
        /// The values are on a straight line.
        Linear = "linear",
        /// The values are in the order of `expect`.
        Order = "order",
    }
}

words! {
    /// The verdict on a target that is not judged.
    pub enum UnjudgedVerdict {
        /// The printed value is a misprint.
        Corrected = "corrected",
        /// Nothing was published to compare with.
        NoData = "no-data",
        /// It needs no run, as a definition.
        NoRun = "no-run",
    }
}

words! {
    /// An axis of a plot.
    pub enum PlotAxis {
        /// The horizontal one.
        X = "x",
        /// The vertical one.
        Y = "y",
    }
}
