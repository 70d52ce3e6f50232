import { repeatsName } from "@bursar/core/base/repeatsName"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * What a signed body says; nothing where it is no JSON in UTF-8, or names a field twice: what would then be paid may not be what was read when it
 * was signed.
 */
export const jsonOf = (body: Uint8Array): unknown => {
  try {
    const text = utf8.decode(body)
    const value: unknown = JSON.parse(text)
    return repeatsName(text, value) ? undefined : value
  } catch {
    return undefined
  }
}
