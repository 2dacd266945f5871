//! HTTP and how documents are written.

use pmh_protocol::Method;

use super::{Defect, UNKNOWN_TOKEN, bad_date, gzip, is_valid};

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new("bad-date-500", |p| {
        if bad_date(p) {
            p.html(500);
        }
    }),
    Defect::new("bad-token-500", |p| {
        if p.has("resumptionToken", UNKNOWN_TOKEN) {
            p.html(500);
        }
    }),
    Defect::new("doctype-entity", |p| {
        p.replace("?>\n<OAI-PMH", "?>\n<!DOCTYPE OAI-PMH [<!ENTITY a 'b'>]>\n<OAI-PMH")
    }),
    Defect::new("get-unsupported", |p| {
        if p.is_by(Method::Get) {
            p.html(405);
        }
    }),
    Defect::new("gzip-forced", gzip),
    Defect::new("http-400-on-error", |p| {
        if !is_valid(p) {
            p.status = 400;
        }
    }),
    Defect::new("http-404-on-no-records", |p| {
        if p.says("noRecordsMatch") {
            p.status = 404;
        }
    }),
    Defect::new("leading-whitespace", |p| p.replace("<?xml", "\n<?xml")),
    Defect::new("no-percent-decoding", |p| {
        if p.query().contains("%6f") {
            p.error("idDoesNotExist");
        }
    }),
    Defect::new("post-405", |p| {
        if p.is_by(Method::Post) {
            p.html(405);
        }
    }),
    Defect::new("post-body-ignored", |p| {
        if p.is_by(Method::Post) {
            p.instead(&[]);
        }
    }),
    Defect::new("unknown-id-404", |p| {
        if p.says("idDoesNotExist") {
            p.html(404);
        }
    }),
    Defect::new("utf8-invalid-bytes", |p| {
        let at = p.text().find("</repositoryName>");
        if let Some(at) = at {
            p.body.insert(at, 0xFF);
        }
    }),
    Defect::new("no-xml-declaration", |p| p.without("<?xml")),
    Defect::new("latin1", |p| {
        let text = p.text().replace("UTF-8", "ISO-8859-1");
        p.body = text.chars().map(|each| u8::try_from(u32::from(each)).unwrap_or(b'?')).collect();
        p.set_header("Content-Type", "text/xml");
    }),
    Defect::new("content-type-html", |p| p.set_header("Content-Type", "text/html; charset=utf-8")),
    Defect::new("content-type-application-xml", |p| {
        p.set_header("Content-Type", "application/xml")
    }),
    Defect::new("compression-advertised-unsupported", |p| {
        p.replace("</granularity>", "</granularity><compression>gzip</compression>")
    }),
    Defect::new("content-type-charset-mismatch", |p| {
        p.set_header("Content-Type", "text/xml; charset=iso-8859-1")
    }),
];
