//! Small helpers for text: folding to ASCII, and capitals at the start of a sentence.

/// Folds the letters that occur in the data files to ASCII; what has no fold is left out.
pub(crate) fn ascii(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        folded.push_str(match letter {
            'á' | 'à' | 'â' | 'ã' => "a",
            'ä' => "ae",
            'Á' | 'À' | 'Â' => "A",
            'ç' => "c",
            'é' | 'è' | 'ê' | 'ë' => "e",
            'É' | 'È' | 'Ê' => "E",
            'í' | 'ì' | 'î' | 'ï' | 'ı' => "i",
            'ñ' => "n",
            'ó' | 'ò' | 'ô' | 'õ' => "o",
            'ö' => "oe",
            'Ó' => "O",
            'ş' => "s",
            'ß' => "ss",
            'ú' | 'ù' | 'û' => "u",
            'ü' => "ue",
            _ if letter.is_ascii() => {
                folded.push(letter);
                continue;
            }
            _ => continue,
        });
    }
    folded
}

/// The text with its first letter as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_fold() {
        assert_eq!(ascii("Größer Yıldız Élodie N'Diaye Muñoz Zoë"), "Groesser Yildiz Elodie N'Diaye Munoz Zoe");
        assert_eq!(ascii("日本"), "");
        assert_eq!(capitalised("été"), "Été");
        assert_eq!(capitalised(""), "");
    }
}
