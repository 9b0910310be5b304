// SPDX-License-Identifier: MIT
// Keeps nine parts of Rust's standard library at work for the seconds of the first argument, and says so when it begins.
use std::collections::{BTreeMap, HashMap};
use std::io::{Seek, Write};
use std::sync::{mpsc, Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Clone, Debug)]
struct Order {
    customer: String,
    lines: Vec<String>,
    total: f64,
}

fn orders() -> Vec<Order> {
    (0..400)
        .map(|i| Order { customer: format!("customer{}", i * 7919 % 400), lines: vec!["one".into(), "two".into()], total: i as f64 * 1.5 })
        .collect()
}

#[inline(never)]
fn primes(below: u32) -> usize {
    (2..below).filter(|n| (2..).take_while(|d| d * d <= *n).all(|d| n % d != 0)).count()
}

#[inline(never)]
fn count_words(text: &str) -> usize {
    let mut words: HashMap<&str, usize> = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        *words.entry(word).or_default() += 1;
    }
    words.into_iter().collect::<BTreeMap<_, _>>().len()
}

#[inline(never)]
fn work(file: &mut std::fs::File) -> usize {
    let mut made = orders();
    let text = format!("{:?}", made);
    made.sort_by(|a, b| a.customer.cmp(&b.customer));
    let numbers: f64 = text.split(|c: char| !c.is_numeric() && c != '.').filter_map(|n| n.parse::<f64>().ok()).sum();
    file.rewind().unwrap();
    writeln!(file, "{} {} {}", numbers, made[3].lines.join(" "), made[3].total).unwrap();
    count_words(&text) + text.to_uppercase().find("CUSTOMER99").unwrap_or(0) + primes(3000)
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    println!("working");
    let path = std::env::temp_dir().join(format!("mix{}", std::process::id()));
    let sum = Arc::new(Mutex::new(0));
    let (sender, receiver) = mpsc::sync_channel(1);
    let (shared, other_path) = (Arc::clone(&sum), path.with_extension("2"));
    let thread = std::thread::spawn(move || {
        let mut file = std::fs::File::create(&other_path).unwrap();
        while sender.send(work(&mut file)).is_ok() {
            *shared.lock().unwrap() += 1;
        }
        let _ = std::fs::remove_file(other_path);
    });
    let mut file = std::fs::File::create(&path).unwrap();
    while Instant::now() < end {
        let done = work(&mut file) + receiver.recv().unwrap();
        *sum.lock().unwrap() += done;
    }
    drop(receiver);
    thread.join().unwrap();
    let _ = std::fs::remove_file(path);
    println!("{}", sum.lock().unwrap());
}
