//! How lists are cut into pages, rightly and wrongly.

use pmh_repository::AskedRequest;
use pmh_scenario::{
    Cap, CapEnd, Change, Hidden, ListKind, Order, Run, Script, TokenStyle, UntilDay,
};

use crate::support::{harvest, last_token, line, repository, resume};

/// Records of a list, page by page: six in pages of two, harvested to the end.
fn pages(change: impl FnOnce(&mut Script)) -> Vec<String> {
    let mut script = Script::plain(6, 2, 1);
    change(&mut script);
    let lines = harvest(&mut repository(script), 12);
    lines.iter().map(|line| line.split('>').next().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn pages_can_overlap() {
    let overlap = |by: usize, size: usize| {
        pages(|script| {
            script.repository.page_size = size;
            script.repository.protocol.paging.overlap = by;
        })
    };
    assert_eq!(overlap(1, 2), ["1 2", "2 3", "3 4", "4 5", "5 6"]);
    assert_eq!(overlap(1, 3), ["1 2 3", "3 4 5", "5 6"]);
    assert_eq!(overlap(2, 4), ["1 2 3 4", "3 4 5 6"]);
    assert_eq!(overlap(1, 6), ["1 2 3 4 5 6"]);
}

#[test]
fn a_list_can_end_where_counting_ends() {
    let capped = |records: u32, then: CapEnd| {
        pages(|script| script.repository.protocol.paging.cap = Some(Cap { records, then }))
    };
    assert_eq!(capped(3, CapEnd::Ends), ["1 2", "3"]);
    assert_eq!(capped(4, CapEnd::Ends), ["1 2", "3 4"]);
    assert_eq!(capped(9, CapEnd::Ends), ["1 2", "3 4", "5 6"]);
    assert_eq!(capped(4, CapEnd::Refused), ["1 2", "3 4", "badResumptionToken"]);
    assert_eq!(capped(3, CapEnd::Refused), ["1 2", "badResumptionToken"]);
}

#[test]
fn hidden_records_leave_their_places_empty() {
    let hidden = pages(|script| {
        script.repository.protocol.paging.hidden = Some(Hidden { from: 2, to: 4 });
    });
    assert_eq!(hidden, ["1", "", "5 6"]);
}

#[test]
fn a_list_in_order_of_numbers_has_no_order_of_dates() {
    let ordered = |order: Order| {
        pages(|script| {
            script.repository.protocol.paging.order = order;
            script.runs[0].before = vec![Change::Touch(vec![1])];
        })
    };
    assert_eq!(ordered(Order::StampThenId), ["2 3", "4 5", "6 1"]);
    assert_eq!(ordered(Order::Id), ["1 2", "3 4", "5 6"]);
}

#[test]
fn an_unstable_order_repeats_records_and_loses_some_and_is_the_same_for_one_seed() {
    let unstable = || pages(|script| script.repository.protocol.paging.order = Order::Unstable);
    let found = unstable();
    assert_eq!(found.len(), 3);
    let distinct: std::collections::BTreeSet<&str> =
        found.iter().flat_map(|page| page.split(' ')).collect();
    assert!(distinct.len() < 6, "{found:?} lost nothing");
    assert_eq!(found, unstable());
}

/// What the third request gets, in a list of this kind, when record 1 is deleted and record 3 touched after page 1.
fn shifted(kind: ListKind) -> Vec<String> {
    let mut script = Script::plain(6, 2, 1);
    script.repository.protocol.deleted_records = pmh_protocol::DeletedRecords::No;
    script.repository.protocol.paging.list = kind;
    let before = vec![Change::Delete(vec![1]), Change::Touch(vec![3])];
    script.runs.push(Run { name: "second".into(), before, ..script.runs[0].clone() });
    let mut repository = repository(script);
    let mut lines = harvest(&mut repository, 1);
    repository.begin_run(1);
    while let Some(token) = lines.last().and_then(|line| Some(line.split_once("> ")?.1.to_owned()))
    {
        if token.is_empty() || lines.len() > 9 {
            break;
        }
        lines.push(line(&repository.answer(&AskedRequest::get(&resume(&token)))));
    }
    lines.iter().map(|line| line.split('>').next().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn a_deletion_pulls_records_over_the_edge_of_a_live_list_and_of_no_other() {
    assert_eq!(shifted(ListKind::Frozen), ["1 2", "3 4", "5 6"]);
    assert_eq!(shifted(ListKind::Live), ["1 2", "5 6", "3"]);
    assert_eq!(shifted(ListKind::KeySet), ["1 2", "4 5", "6 3"]);
}

#[test]
fn a_list_that_goes_on_after_a_datestamp_loses_others_of_that_datestamp() {
    let found = pages(|script| {
        script.repository.protocol.paging.list = ListKind::KeySet;
        let same = script.repository.world.records[&2].stamp;
        for number in [3, 4] {
            script.repository.world.records.get_mut(&number).unwrap().stamp = same;
        }
    });
    assert_eq!(found, ["1 2", "5 6"]);
}

#[test]
fn a_live_list_that_has_shrunk_to_nothing_ends() {
    let mut script = Script::plain(3, 2, 1);
    script.repository.protocol.deleted_records = pmh_protocol::DeletedRecords::No;
    script.repository.protocol.paging.list = ListKind::Live;
    script.repository.protocol.token = TokenStyle::Stateful;
    let before = vec![Change::Delete(vec![1])];
    script.runs.push(Run { name: "second".into(), before, ..script.runs[0].clone() });
    let mut repository = repository(script);
    harvest(&mut repository, 1);
    let token = last_token(&repository);
    repository.begin_run(1);
    let reply = repository.answer(&AskedRequest::get(&resume(&token)));
    assert_eq!(
        (reply.exchange.answer.records, reply.exchange.answer.token.as_deref()),
        (0, Some(""))
    );
}

#[test]
fn what_was_selected_can_be_forgotten_on_the_way() {
    let mut script = Script::plain(6, 2, 1);
    script.repository.protocol.filter.forgotten_after = Some(1);
    let mut repository = repository(script);
    let first = "verb=ListRecords&metadataPrefix=oai_dc&from=2024-01-02T04:00:00Z";
    let reply = repository.answer(&AskedRequest::get(first));
    let token = reply.exchange.answer.token.clone().unwrap();
    assert!(line(&reply).starts_with("5 6"), "{}", line(&reply));
    assert!(line(&repository.answer(&AskedRequest::get(&resume(&token)))).starts_with("3 4"));
}

/// What a selective list of six records holds.
fn selected(arguments: &str, change: impl FnOnce(&mut Script)) -> String {
    let mut script = Script::plain(6, 9, 1);
    change(&mut script);
    let query = format!("verb=ListRecords&metadataPrefix=oai_dc{arguments}");
    line(&repository(script).answer(&AskedRequest::get(&query)))
}

#[test]
fn arguments_can_make_no_difference() {
    use pmh_scenario::Ignored;
    let from = "&from=2024-01-02T03:00:00Z";
    assert_eq!(selected(from, |_| ()), "4 5 6");
    let ignore = |ignored: Ignored| {
        move |script: &mut Script| script.repository.protocol.filter.ignores = vec![ignored]
    };
    assert_eq!(selected(from, ignore(Ignored::From)), "1 2 3 4 5 6");
    let until = "&until=2024-01-02T03:00:00Z";
    assert_eq!(selected(until, ignore(Ignored::From)), "1 2 3 4");
    assert_eq!(selected(until, ignore(Ignored::Until)), "1 2 3 4 5 6");
    let of_set = |script: &mut Script| {
        script.repository.world.sets = vec!["art".into(), "maps".into()];
        script.repository.protocol.filter.ignores = vec![Ignored::Set];
    };
    assert_eq!(selected("&set=maps", of_set), "1 2 3 4 5 6");
}

#[test]
fn a_day_as_the_end_can_mean_its_first_second() {
    let until = "&until=2024-01-02";
    assert_eq!(selected(until, |_| ()), "1 2 3 4 5 6");
    let midnight =
        |script: &mut Script| script.repository.protocol.filter.until_day = UntilDay::Midnight;
    assert_eq!(selected(until, midnight), "1");
}
