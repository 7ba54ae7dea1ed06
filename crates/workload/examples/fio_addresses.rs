//! Prints the I/Os that the jobs of a fio job file make: `cargo run -p sansim-workload --example fio_addresses -- JOB.fio COUNT [SEED]`
//! prints `job direction offset bytes` of up to COUNT of each clone. The device of the printed I/Os has 64 GiB.

use std::path::Path;
use std::process::ExitCode;

use sansim_workload::fio_job::{self, addresses::CloneAddresses};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(count)) = (arguments.next(), arguments.next().and_then(|count| count.parse().ok()))
    else {
        eprintln!("usage: fio_addresses JOB.fio COUNT [SEED]");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let folder = Path::new(&path).parent().unwrap_or(Path::new("."));
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| error.to_string());
    let text = match read(Path::new(&path)) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    match fio_job::read(&path, &text, &mut |name| read(&folder.join(name))) {
        Ok(file) => {
            for job in &file.jobs {
                for clone in 0..job.numjobs {
                    match CloneAddresses::new(job, clone, 64 << 30, seed, &job.name) {
                        Ok(addresses) => addresses.take(count).for_each(|io| {
                            println!("{} {} {} {}", job.name, io.direction.word(), io.offset, io.bytes);
                        }),
                        Err(reason) => eprintln!("{}: {reason:?}", job.name),
                    }
                }
            }
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprint!("{report}");
            ExitCode::from(2)
        }
    }
}
