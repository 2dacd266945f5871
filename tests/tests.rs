//! Everything that needs the whole: scenarios in both arms, the program from outside, and the tidiness of the tree.

mod cli; // the program as a user meets it
mod effects; // every effect on an answer, in both arms
mod kill; // sudden deaths at moments nobody chose
mod loopback; // every scenario with real processes
mod scenarios; // every scenario in the pure arm, its verdict snapshotted
mod support; // what more than one of them needs
mod sweeps; // deaths at every place, faults at every exchange, random worlds
mod tidy; // what crates must not know, and what files belong together
