const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What a signed body says; nothing where it is no UTF-8, for what would then be paid is not what was signed. */
export const textOf = (body: Uint8Array): string | undefined => {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}
