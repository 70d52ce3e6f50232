import { ImportError, importBytesMax } from "./ImportedStatement.ts"

const encodings = ["utf-8", "utf-16le", "iso-8859-1", "windows-1252"] as const

/** So much of a document is looked at for what it says of its characters. */
const declarationBytes = 200

/** How the characters of an XML document are written, by its own word; UTF-8 where it says nothing. */
export const encodingOfXml = (bytes: Uint8Array): string =>
  /^[^>]*\bencoding\s*=\s*["'](?<named>[\w.-]+)["']/u
    .exec(new TextDecoder("latin1").decode(bytes.subarray(0, declarationBytes)))
    ?.groups?.["named"]?.toLowerCase() ?? "utf-8"

/** The text of a file. Bytes that are no text, or too many, are refused. Throws ImportError. */
export const decodeText = (bytes: Uint8Array, encoding: string): string => {
  if (bytes.length > importBytesMax)
    throw new ImportError({ detail: `it is larger than ${importBytesMax} bytes`, where: null })
  const known = encodings.find((one) => one === encoding)
  if (known === undefined)
    throw new ImportError({ detail: `its characters are written as ${encoding}, which is not read`, where: null })
  try {
    return new TextDecoder(known, { fatal: true }).decode(bytes)
  } catch {
    throw new ImportError({ detail: `it is not written as ${known}`, where: null })
  }
}
