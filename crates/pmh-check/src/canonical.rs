//! Whether two elements say the same, however they are written.

use pmh_protocol::Element;

/// Equal in names, namespaces, attributes, text without the white space around it, and children in their order.
pub(crate) fn says_the_same(one: &Element, other: &Element) -> bool {
    one.name() == other.name()
        && one.namespace == other.namespace
        && one.trimmed() == other.trimmed()
        && attributes(one) == attributes(other)
        && one.children.len() == other.children.len()
        && one.children.iter().zip(&other.children).all(|(one, other)| says_the_same(one, other))
}

fn attributes(element: &Element) -> Vec<(&str, &str, &str)> {
    let local = |name: &'_ str| name.rfind(':').map_or(0, |at| at + 1);
    let mut attributes: Vec<_> = element
        .attributes
        .iter()
        .map(|each| {
            let name = each.qualified.as_str();
            (&*each.namespace, &name[local(name)..], each.value.as_str())
        })
        .collect();
    attributes.sort_unstable();
    attributes
}
