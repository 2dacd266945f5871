//! HTTP and how documents are written.

use super::{Defect, UNKNOWN_TOKEN, bad_date, gzip, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    (
        "bad-date-500",
        |p| {
            if bad_date(p) {
                p.html(500);
            }
        },
        &["transport.no-5xx", "dates.bad-forms", "dates.impossible"],
    ),
    (
        "bad-token-500",
        |p| {
            if p.has("resumptionToken", UNKNOWN_TOKEN) {
                p.html(500);
            }
        },
        &["transport.no-5xx", "paging.unknown-token"],
    ),
    (
        "doctype-entity",
        |p| p.replace("?>\n<OAI-PMH", "?>\n<!DOCTYPE OAI-PMH [<!ENTITY a 'b'>]>\n<OAI-PMH"),
        &["transport.reachable", "xml.no-doctype"],
    ),
    (
        "get-unsupported",
        |p| {
            if p.request.method == pmh_protocol::Method::Get {
                p.html(405);
            }
        },
        &["transport.get"],
    ),
    (
        "gzip-forced",
        gzip,
        &[
            "transport.identity-explicit",
            "transport.compression-advertised",
            "transport.identity-default",
        ],
    ),
    (
        "http-400-on-error",
        |p| {
            if !is_valid(p) {
                p.page.status = 400;
            }
        },
        &["transport.status-on-error"],
    ),
    (
        "http-404-on-no-records",
        |p| {
            if p.says("noRecordsMatch") {
                p.page.status = 404;
            }
        },
        &["transport.status-on-error"],
    ),
    ("leading-whitespace", |p| p.replace("<?xml", "\n<?xml"), &["xml.well-formed"]),
    (
        "no-percent-decoding",
        |p| {
            if p.query().contains("%6f") {
                p.error("idDoesNotExist");
            }
        },
        &["transport.percent-decoding"],
    ),
    (
        "post-405",
        |p| {
            if p.request.method == pmh_protocol::Method::Post {
                p.html(405);
            }
        },
        &["transport.post"],
    ),
    (
        "post-body-ignored",
        |p| {
            if p.request.method == pmh_protocol::Method::Post {
                p.instead(&[]);
            }
        },
        &["transport.post"],
    ),
    (
        "unknown-id-404",
        |p| {
            if p.says("idDoesNotExist") {
                p.html(404);
            }
        },
        &["transport.status-on-error", "errors.id-unknown"],
    ),
    (
        "utf8-invalid-bytes",
        |p| {
            let at = p.text().find("</repositoryName>");
            if let Some(at) = at {
                p.page.body.insert(at, 0xFF);
            }
        },
        &["xml.utf8"],
    ),
    ("no-xml-declaration", |p| p.without("<?xml"), &["xml.declaration"]),
    (
        "latin1",
        |p| {
            let text = p.text().replace("UTF-8", "ISO-8859-1");
            p.page.body =
                text.chars().map(|each| u8::try_from(u32::from(each)).unwrap_or(b'?')).collect();
            p.set_header("Content-Type", "text/xml");
        },
        &["xml.utf8"],
    ),
    (
        "content-type-html",
        |p| p.set_header("Content-Type", "text/html; charset=utf-8"),
        &["transport.content-type"],
    ),
    (
        "content-type-application-xml",
        |p| p.set_header("Content-Type", "application/xml"),
        &["transport.content-type"],
    ),
    (
        "compression-advertised-unsupported",
        |p| p.replace("</granularity>", "</granularity><compression>gzip</compression>"),
        &["transport.compression-advertised"],
    ),
    (
        "content-type-charset-mismatch",
        |p| p.set_header("Content-Type", "text/xml; charset=iso-8859-1"),
        &["transport.charset"],
    ),
];
