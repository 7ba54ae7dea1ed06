use super::*;
use proptest::prelude::*;
use sansim_schema::decision;

decision! {
    /// The choice of the lamp that shines next.
    pub static LAMP = "lamp";
    /// The time.
    common LampCircumstances {
        /// The time.
        now: "ns",
    }
    /// A lamp.
    each LampFeatures {
        /// Its number.
        number: "",
        /// Its waiting.
        waiting: "ns",
    }
}

/// A view at 1,000 ns of lamps with these numbers and waits.
fn view(lamps: &[(i64, i64)]) -> DecisionView {
    let mut view = DecisionView::new(&LAMP);
    view.begin(&LampCircumstances { now: 1_000 }.values());
    for &(number, waiting) in lamps {
        view.add_candidate(&LampFeatures { number, waiting }.values());
    }
    view
}

fn value(text: &str) -> f64 {
    let expression = Expression::parse(text, &LAMP).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
    expression.program.values(&view(&[(3, 40)]), &mut Vec::new())[0]
}

#[test]
fn an_expression_has_the_value_that_its_precedence_says() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("7 % 4 + 1", 4.0),
        ("-7 % 4", 1.0),
        ("-number + 5", 2.0),
        ("- - 2", 2.0),
        ("number + waiting / 2", 23.0),
        ("now - waiting", 960.0),
        ("1 + 1 < 3", 1.0),
        ("2 >= 3", 0.0),
        ("3 > 2", 1.0),
        ("2 <= 1", 0.0),
        ("1 == 1 and 2 != 2", 0.0),
        ("1 == 2 or 0 < 1 and not 0", 1.0),
        ("not 1 == 2", 1.0),
        ("min(3, waiting, 2)", 2.0),
        ("max(number, 2)", 3.0),
        ("abs(2 - 5)", 3.0),
        ("floor(7 / 2)", 3.0),
        ("if(number > 2, 10, 20)", 10.0),
        ("if(number > 3, 10, if(waiting == 40, 30, 40))", 30.0),
        ("2 us + 1 ns", 2_001.0),
        ("64 KiB / 1_024", 64.0),
        ("1.5 ms", 1_500_000.0),
        ("0.5 * 4", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn the_lowest_value_wins_and_of_equal_ones_the_first() {
    let lowest = |text: &str, lamps: &[(i64, i64)]| {
        Expression::parse(text, &LAMP).expect("an expression").lowest(&view(lamps), &mut Vec::new())
    };
    let lamps = [(4, 10), (2, 30), (2, 5), (9, 30)];
    assert_eq!(lowest("number", &lamps), Ok(1));
    assert_eq!(lowest("-waiting", &lamps), Ok(1));
    assert_eq!(lowest("number - waiting", &lamps), Ok(1));
    assert_eq!(lowest("0", &lamps), Ok(0));
    assert_eq!(lowest("1 / 0", &lamps), Ok(0), "all are infinite");
    assert_eq!(lowest("0 / (number - 9)", &lamps), Err(3), "0 / 0 has no value");
}

#[test]
fn a_text_that_is_no_expression_is_refused_where_the_fault_is() {
    for (text, at, message, help) in [
        ("nubmer", 0..6, "`nubmer` is no feature of this decision (`lamp`)", Some("did you mean `number`?")),
        ("1 +", 3..3, "a number, a feature or a bracket is missing here", None),
        ("(1 + 2", 6..6, "a closing bracket is missing here", None),
        ("1 2", 2..3, "`2` does not continue the expression", None),
        ("number = 2", 7..8, "`=` assigns nothing here", Some("equality is `==`")),
        ("2 sec", 2..5, "`sec` is no unit of time or size", None),
        ("sum(1, 2)", 0..3, "there is no function `sum`", Some("known here: ")),
        ("min(1)", 0..3, "`min` has 1 arguments and needs 2 to 16", None),
        ("if(1, 2)", 0..2, "`if` has 2 arguments and needs 3", None),
        ("1 $ 2", 2..3, "`$` has no meaning in an expression", None),
        ("1.2.3", 0..5, "`1.2.3` is no number", None),
        ("", 0..0, "a number, a feature or a bracket is missing here", None),
    ] {
        let fault = Expression::parse(text, &LAMP).expect_err(text);
        assert_eq!((fault.at, fault.message.as_str()), (at, message), "{text}");
        if let Some(help) = help {
            assert!(fault.help.is_some_and(|found| found.starts_with(help)), "{text}");
        }
    }
}

#[test]
fn what_is_too_deep_is_refused() {
    let brackets = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(Expression::parse(&brackets, &LAMP).expect_err("deep").message.contains("levels"));
    let signs = format!("{}1", "-".repeat(100_000));
    assert!(Expression::parse(&signs, &LAMP).is_err());
    let wide = (0..40).map(|number| format!("{number} + (")).collect::<String>() + "1" + &")".repeat(40);
    assert!(Expression::parse(&wide, &LAMP).expect_err("wide").message.contains("values at a time"));
    let long = vec!["number"; 10_000].join(" + ");
    assert!(Expression::parse(&long, &LAMP).is_ok(), "a long sum needs two values at a time");
}

/// An expression, fully in brackets, with its value by Rust.
fn with_value() -> impl Strategy<Value = (String, f64)> {
    let leaf = prop_oneof![
        (0u32..1000).prop_map(|number| (number.to_string(), f64::from(number))),
        Just(("number".to_owned(), 3.0)),
        Just(("waiting".to_owned(), 40.0)),
        Just(("now".to_owned(), 1_000.0)),
    ];
    leaf.prop_recursive(4, 32, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone(), 0usize..4).prop_map(|((a, x), (b, y), operation)| {
                let (sign, value) =
                    [("+", x + y), ("-", x - y), ("*", x * y), ("<", f64::from(u8::from(x < y)))][operation];
                (format!("({a} {sign} {b})"), value)
            }),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| (format!("max({a}, {b})"), x.max(y))),
            inner.prop_map(|(a, x)| (format!("-({a})"), -x)),
        ]
    })
}

proptest! {
    #[test]
    fn random_expressions_have_the_value_of_their_parts((text, expected) in with_value()) {
        prop_assert_eq!(value(&text), expected, "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-a-z0-9 +*/%()<>=,._!µ]{0,60}") {
        if let Ok(expression) = Expression::parse(&text, &LAMP) {
            let _ = expression.lowest(&view(&[(1, 2), (3, 4)]), &mut Vec::new());
        }
    }
}
