//! Boxed tables as OPA draws them: a centered header, cells to the left, widths as terminals show them.
//!
//! Apart because widths of characters and wrapping are fiddly and used by two formats. It takes cells of text and knows
//! nothing of what they mean.

/// Draws a table.
pub(crate) fn draw(header: &[String], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..columns(header, rows))
        .map(|column| {
            let cells = rows.iter().map(|it| it.get(column)).chain([header.get(column)]);
            cells.flatten().flat_map(|it| it.lines()).map(width).max().unwrap_or(0)
        })
        .collect();
    let mut out = rule(&widths, ['┌', '┬', '┐']);
    if !header.is_empty() {
        row(header, &widths, center, &mut out);
        out.push_str(&rule(&widths, ['├', '┼', '┤']));
    }
    for cells in rows {
        row(cells, &widths, left, &mut out);
    }
    out.push_str(&rule(&widths, ['└', '┴', '┘']));
    out
}

/// Draws a table without a header, its last column to the right.
pub(crate) fn draw_figures(rows: &[Vec<String>]) -> String {
    let value_width = rows.iter().filter_map(|it| it.last()).map(|it| width(it)).max().unwrap_or(0);
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|cells| {
            let mut cells = cells.clone();
            if let Some(last) = cells.last_mut() {
                *last = format!("{}{last}", " ".repeat(value_width - width(last)));
            }
            cells
        })
        .collect();
    draw(&[], &rows)
}

fn columns(header: &[String], rows: &[Vec<String>]) -> usize {
    rows.iter().map(Vec::len).chain([header.len()]).max().unwrap_or(0)
}

fn rule(widths: &[usize], [start, middle, end]: [char; 3]) -> String {
    let parts: Vec<String> = widths.iter().map(|it| "─".repeat(it + 2)).collect();
    format!("{start}{}{end}\n", parts.join(&middle.to_string()))
}

fn row(cells: &[String], widths: &[usize], place: fn(&str, usize) -> String, out: &mut String) {
    let height = cells.iter().map(|it| it.lines().count()).max().unwrap_or(1).max(1);
    for line in 0..height {
        out.push('│');
        for (column, width) in widths.iter().enumerate() {
            let text = cells.get(column).and_then(|it| it.lines().nth(line)).unwrap_or_default();
            out.push(' ');
            out.push_str(&place(text, *width));
            out.push_str(" │");
        }
        out.push('\n');
    }
}

fn center(text: &str, size: usize) -> String {
    let free = size.saturating_sub(width(text));
    let before = free / 2;
    format!("{}{text}{}", " ".repeat(before), " ".repeat(free - before))
}

fn left(text: &str, size: usize) -> String {
    format!("{text}{}", " ".repeat(size.saturating_sub(width(text))))
}

/// Returns how many cells of a terminal a text takes.
fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(point: char) -> usize {
    match u32::from(point) {
        0..=0x1f | 0x7f..=0x9f | 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f | 0x20d0..=0x20ff => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_widest_cell() {
        let header = ["x".to_owned(), "long".to_owned()];
        let rows = [vec!["1".to_owned(), "2".to_owned()], vec!["\"日本\"".to_owned(), "3".to_owned()]];
        let wanted = "\
┌────────┬──────┐
│   x    │ long │
├────────┼──────┤
│ 1      │ 2    │
│ \"日本\" │ 3    │
└────────┴──────┘
";
        assert_eq!(draw(&header, &rows), wanted);
    }

    #[test]
    fn figures_stand_to_the_right() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bc".to_owned(), "23".to_owned()]];
        assert_eq!(draw_figures(&rows), "┌────┬────┐\n│ a  │  1 │\n│ bc │ 23 │\n└────┴────┘\n");
    }
}
