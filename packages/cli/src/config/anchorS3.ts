import { Schema } from "effect"
import { integer, type Present, protectedUrl } from "./variable.ts"

/** The form of a place in an object store. */
const place = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9/_.-]{0,200})?$/u

/** The variables that tell in which object store seals of the audit log are put down. */
export const anchorS3Variables = {
  AUDIT_ANCHOR_S3: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(place, { expected: "s3://bucket or s3://bucket/prefix" }))
  ),
  AUDIT_ANCHOR_S3_REGION: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[a-z0-9-]{2,32}$/u, { expected: "a region, such as eu-central-1" }))
  ),
  AUDIT_ANCHOR_S3_ENDPOINT: Schema.optionalKey(protectedUrl),
  AUDIT_ANCHOR_S3_RETAIN_DAYS: Schema.optionalKey(integer(1, 36_500))
}

const Variables = Schema.Struct(anchorS3Variables)

/** An object store that seals are put down in. */
export interface AnchorS3Settings {
  /** `s3://bucket/prefix` */
  readonly place: string
  readonly region: string
  readonly endpoint: string | null
  readonly retainDays: number | null
}

/** What the variables of the object store lack, taken together. */
export const anchorS3Mistakes = (given: Present): ReadonlyArray<string> =>
  given["AUDIT_ANCHOR_S3"] !== undefined && given["AUDIT_ANCHOR_S3_REGION"] === undefined
    ? ["AUDIT_ANCHOR_S3_REGION is missing, which AUDIT_ANCHOR_S3 needs"]
    : []

/** The object store of variables that were checked; null where there is none. */
export const anchorS3Of = (env: typeof Variables.Type): AnchorS3Settings | null => {
  const { AUDIT_ANCHOR_S3: named, AUDIT_ANCHOR_S3_REGION: region } = env
  if (named === undefined || region === undefined) return null
  return {
    place: named,
    region,
    endpoint: env.AUDIT_ANCHOR_S3_ENDPOINT ?? null,
    retainDays: env.AUDIT_ANCHOR_S3_RETAIN_DAYS ?? null
  }
}

const decode = Schema.decodeUnknownEffect(Variables)

/** The object store of variables alone, without the rest of the configuration. */
export const readAnchorS3 = (variables: Present) =>
  decode(Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== "")))
