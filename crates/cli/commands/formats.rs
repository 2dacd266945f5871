//! `pmh formats`: the metadata formats of a repository, or of one record.

use pmh_protocol::{Body, ErrorCode, Request};
use serde_json::json;

use crate::args::FormatsArguments;
use crate::asking::Asking;
use crate::exit::Exit;
use crate::output::{self, plain};

pub(crate) fn run(arguments: &FormatsArguments) -> anyhow::Result<Exit> {
    let (base_url, identifier) = arguments.meant();
    let asking = Asking::of(&base_url, &arguments.source)?;
    let request = Request::ListMetadataFormats { identifier: identifier.map(str::to_owned) };
    let asked = asking.runtime.block_on(asking.transport.ask(&asking.plan, &request));
    let parsed = match asked {
        Err(error) if error.code() == Some(&ErrorCode::NoMetadataFormats) => {
            output::note("the record has no formats");
            return Ok(Exit::Done);
        }
        asked => asked?,
    };
    if let Body::Formats(formats) = &parsed.document.body {
        for format in formats {
            output::line(if arguments.json {
                json!({
                    "prefix": format.prefix,
                    "namespace": format.namespace,
                    "schema": format.schema,
                })
                .to_string()
            } else {
                format!("{:16}  {}", plain(&format.prefix), plain(&format.namespace))
            });
        }
    }
    output::complaints(&parsed.complaints);
    Ok(Exit::Done)
}
