//! The codes of problems that only a study can have. The codes of problems of any file are in `sansim_schema::codes`.

sansim_schema::codes! {
    /// A study has no axis of this name, or the axis has no such value.
    UNKNOWN_AXIS = 401,
    /// An axis has no values.
    EMPTY_AXIS = 402,
    /// Something refers to a metric that the study does not measure.
    NOT_MEASURED = 403,
    /// Axes that advance together have different numbers of values.
    ZIP_LENGTHS = 404,
    /// A point of a study is not a valid scenario.
    BAD_POINT = 405,
    /// A formula cannot be computed.
    BAD_FORMULA = 406,
    /// An expected value says nothing that could be checked, or several things at once.
    BAD_CHECK = 407,
    /// A run has no such figure, or it is no number.
    NO_SUCH_FIGURE = 408,
}
