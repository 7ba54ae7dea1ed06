//! A process that is confined to a folder reads no named file outside it. The test is a program of its own, because the folder is that of
//! the whole process.

use sansim_schema::context::Facts;
use sansim_schema::quantities::{FileName, Folder, NamedFile, confine};
use sansim_schema::table;
use sansim_schema::table::Tabular;

table! {
    /// A replay.
    pub struct Replay {
        /// The trace to replay.
        trace: NamedFile = FileName, required r#""trace.csv""#, source "";
    }
}

#[test]
fn a_confined_process_reads_no_named_file_outside_its_folders_and_does_not_tell_whether_there_is_one() {
    let base = std::env::temp_dir().join(format!("sansim-confined-{}", std::process::id()));
    let inside = base.join("inside");
    std::fs::create_dir_all(inside.join("deeper")).expect("folders");
    std::fs::write(base.join("secret.csv"), "abc").expect("a file");
    std::fs::write(inside.join("trace.csv"), "abc").expect("a file");
    std::os::unix::fs::symlink(base.join("secret.csv"), inside.join("link.csv")).expect("a link");
    std::os::unix::fs::symlink(&base, inside.join("up")).expect("a link");
    let read = |name: &str| {
        let context = Facts::default().with_fact(Folder(inside.clone()));
        Replay::from_toml(&format!("trace = {name:?}\n"), &context).map_err(|report| report.to_string())
    };
    assert!(read("../secret.csv").is_ok());
    confine(std::slice::from_ref(&inside)).expect("the folder exists");
    for name in ["trace.csv", "./trace.csv", "deeper/../trace.csv"] {
        assert!(read(name).is_ok(), "{name}");
    }
    let absolute = inside.join("trace.csv").display().to_string();
    assert!(read(&absolute).is_ok());
    let secret = base.join("secret.csv").display().to_string();
    let outside = [
        "../secret.csv",
        "../nothing.csv",
        "deeper/../../secret.csv",
        "link.csv",
        "up/secret.csv",
        "/etc/passwd",
        "/nothing",
        "nothing/../../secret.csv",
        &secret,
    ];
    for name in outside {
        let report = read(name).expect_err(name);
        assert!(report.contains("E0318") && report.contains("outside the folder"), "{name}: {report}");
    }
    let report = read("nothing.csv").expect_err("it does not exist");
    assert!(report.contains("cannot be read"), "{report}");
    assert!(confine(&[base.join("none")]).is_err());
    std::fs::remove_dir_all(&base).expect("they were there");
}
