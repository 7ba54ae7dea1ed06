//! Rules of users in a cache without time: an expression hits as often as the policy that it rewrites.

use sansim_cache::CacheContent;
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The accesses that hit a cache of this many blocks under the policy, which is TOML.
fn hits(policy: &str, blocks: u32, accesses: &[u64]) -> Vec<bool> {
    let policy = ReplacementPolicy::from_toml(&format!("policy = {policy}"), &Facts::default());
    let policy = policy.unwrap_or_else(|report| panic!("{report}"));
    let mut content = CacheContent::new(&policy, blocks, RandomStream::new(1, "test"));
    accesses.iter().map(|&block| content.access(block)).collect()
}

/// Accesses of which few blocks get many.
fn skewed(seed: u64, count: usize) -> Vec<u64> {
    let mut random = RandomStream::new(seed, "accesses");
    (0..count).map(|_| random.draw_below(1 + random.clone().draw_below(400))).collect()
}

#[test]
fn an_expression_hits_as_the_policy_that_it_rewrites() {
    let cases = [
        ("\"lru\"", "{ expression = \"0\" }"),
        ("\"lru\"", "{ expression = \"-age\" }"),
        ("\"fifo\"", "{ expression = \"-residence\", candidates = \"all\" }"),
    ];
    for seed in 0..20 {
        let accesses = skewed(seed, 2_000);
        for (word, expression) in cases {
            for blocks in [1, 2, 17, 150] {
                assert_eq!(
                    hits(word, blocks, &accesses),
                    hits(expression, blocks, &accesses),
                    "{expression}"
                );
            }
        }
    }
}

#[test]
fn a_rule_sees_only_the_candidates_that_it_asks_for() {
    let accesses = skewed(1, 3_000);
    let of = |candidates: &str| {
        let rule = format!("{{ expression = \"uses\", candidates = {candidates} }}");
        hits(&rule, 100, &accesses).into_iter().filter(|hit| *hit).count()
    };
    let lru = hits("\"lru\"", 100, &accesses).into_iter().filter(|hit| *hit).count();
    assert_eq!(of("1"), lru, "of one candidate it has no choice");
    assert_ne!(of("16"), lru);
    assert_eq!(
        of("16"),
        hits("{ expression = \"uses\" }", 100, &accesses).into_iter().filter(|hit| *hit).count()
    );
    assert_ne!(of("16"), of("\"all\""));
}
