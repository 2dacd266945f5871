//! What a repository says of itself that is not so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Texts in place of what Identify says; what is absent is as it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IdentifyTexts {
    /// repositoryName
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_name: Option<String>,
    /// baseURL
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// protocolVersion
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// adminEmail; the empty list leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_emails: Option<Vec<String>>,
    /// deletedRecord, whatever is really kept of deletions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_record: Option<String>,
    /// granularity, whatever datestamps really look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<String>,
}
