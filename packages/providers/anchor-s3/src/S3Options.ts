/** Where seals of the audit log are put down. Credentials come from where the AWS SDK finds them: environment, profile, role of the machine. */
export interface S3Options {
  readonly bucket: string
  /** What the names of the objects begin with; the empty text or one that ends with a slash. */
  readonly prefix: string
  readonly region: string
  /** Instead of the region's own, such as another store that speaks S3. `http:` only to this machine. */
  readonly endpoint?: string
  /** For how many days nobody may remove or overwrite a seal (object lock, mode compliance). By default what the bucket says. */
  readonly retainDays?: number
}

/** A bucket and a prefix. */
export type S3Place = Pick<S3Options, "bucket" | "prefix">

/** Reads `s3://bucket/prefix`; undefined where it is none. */
export const readPlace = (text: string): S3Place | undefined => {
  const [, bucket, rest = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9/_.-]{0,200}))?$/u.exec(text) ?? []
  if (bucket === undefined) return undefined
  return { bucket, prefix: rest === "" || rest.endsWith("/") ? rest : `${rest}/` }
}
