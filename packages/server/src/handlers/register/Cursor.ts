import { createHmac, timingSafeEqual } from "node:crypto"
import type { RegisterPosition } from "@bursar/core/store/Queries"
import { Redacted } from "effect"
import { canonicalJson } from "../../idempotency/canonicalJson.ts"

/** What a cursor is good for: one tenant's list under these filters. */
export interface CursorBinding {
  readonly secret: Redacted.Redacted
  readonly tenantId: string
  /** The filters of the request as they were written; the page size is none. */
  readonly filters: Readonly<Record<string, string | undefined>>
}

const version = "v1"

/** Half of an HMAC-SHA-256: 128 bits that nobody can guess. */
const macBytes = 16

const macOf = ({ filters, secret, tenantId }: CursorBinding, position: string): Buffer =>
  createHmac("sha256", Redacted.value(secret))
    .update(`register ${version} ${tenantId} ${canonicalJson(filters)} ${position}`, "utf8")
    .digest()
    .subarray(0, macBytes)

/** Writes a place in a list, which some texts tell, as an opaque text that is good for the same list alone, under the same filters. */
export const writePlace = (binding: CursorBinding, place: ReadonlyArray<string>): string => {
  const position = Buffer.from(place.map(encodeURIComponent).join("/"), "utf8").toString("base64url")
  return `${version}.${position}.${macOf(binding, position).toString("base64url")}`
}

/** Reads what `writePlace` wrote; undefined where it was altered, is of another version, or was made for anything else. */
export const readPlace = (binding: CursorBinding, cursor: string): ReadonlyArray<string> | undefined => {
  const [given, position = "", mac = "", ...rest] = cursor.split(".")
  if (given !== version || rest.length > 0) return undefined
  const actual = Buffer.from(mac, "base64url")
  if (actual.length !== macBytes || !timingSafeEqual(actual, macOf(binding, position))) return undefined
  return Buffer.from(position, "base64url").toString("utf8").split("/").map(decodeURIComponent)
}

/** Writes a place in the register as an opaque text that only the same tenant can use, under the same filters. */
export const writeCursor = (binding: CursorBinding, { createdAt, id }: RegisterPosition): string =>
  writePlace(binding, [`${createdAt}`, id])

/** Reads a cursor of the register; undefined where it was altered, is of another version, or was made for anything else. */
export const readCursor = (binding: CursorBinding, cursor: string): RegisterPosition | undefined => {
  const place = readPlace(binding, cursor)
  if (place === undefined) return undefined
  const [createdAt = "", id = ""] = place
  return { createdAt: Number(createdAt), id }
}
