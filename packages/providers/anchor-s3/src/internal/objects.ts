import {
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { AnchorFailed } from "@bursar/core/port/AuditAnchor"
import { Clock, Effect } from "effect"
import type { S3Options } from "../S3Options.ts"

const dayMs = 86_400_000

/** An object as the store lists it: one of its versions, or the mark of its removal. */
export interface StoredVersion {
  readonly key: string
  readonly versionId: string | undefined
  readonly isRemoval: boolean
  readonly at: number
}

const nameOf = (thrown: unknown): string =>
  thrown instanceof Error && /^[A-Za-z0-9]{1,64}$/u.test(thrown.name) ? thrown.name : "an error"

/** What an anchor asks of the store. The words of the store are not told: they name accounts and roles. */
export const makeObjects = (client: S3Client, { bucket, prefix, retainDays }: S3Options) => {
  const Bucket = bucket
  const ask = <A>(call: (options: { abortSignal: AbortSignal }) => Promise<A>): Effect.Effect<A, AnchorFailed> =>
    Effect.tryPromise({
      try: (abortSignal) => call({ abortSignal }),
      catch: (thrown) => new AnchorFailed({ reason: `s3://${bucket}/${prefix}: the store answered ${nameOf(thrown)}` })
    })

  /** The keys after one, in order. */
  const keysAfter = Effect.fnUntraced(function* (start: string) {
    const keys: Array<string> = []
    let after = start
    while (true) {
      const page = yield* ask((options) =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter: after }), options)
      )
      const found = (page.Contents ?? []).flatMap(({ Key }) => Key ?? [])
      keys.push(...found)
      after = found.at(-1) ?? after
      if (page.IsTruncated !== true || found.length === 0) return keys
    }
  })

  /** Every version of every object, and every mark of a removal. */
  const versions = Effect.gen(function* () {
    const all: Array<StoredVersion> = []
    let from: { readonly KeyMarker?: string; readonly VersionIdMarker?: string } = {}
    while (true) {
      const page = yield* ask((options) =>
        client.send(new ListObjectVersionsCommand({ Bucket, Prefix: prefix, ...from }), options)
      )
      for (const [listed, isRemoval] of [
        [page.Versions ?? [], false],
        [page.DeleteMarkers ?? [], true]
      ] as const)
        for (const { Key = "", LastModified, VersionId } of listed)
          all.push({ key: Key, versionId: VersionId, isRemoval, at: LastModified?.getTime() ?? 0 })
      if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return all
      from = {
        KeyMarker: page.NextKeyMarker,
        ...(page.NextVersionIdMarker === undefined ? {} : { VersionIdMarker: page.NextVersionIdMarker })
      }
    }
  })

  const read = (key: string, versionId?: string): Effect.Effect<string, AnchorFailed> =>
    ask((options) =>
      client
        .send(
          new GetObjectCommand({ Bucket, Key: key, ...(versionId === undefined ? {} : { VersionId: versionId }) }),
          options
        )
        .then(({ Body }) => Body?.transformToString() ?? "")
    )

  /** Puts an object down unless there is one of this name; false where there is. */
  const create = Effect.fnUntraced(function* (key: string, text: string) {
    const until = (yield* Clock.currentTimeMillis) + (retainDays ?? 0) * dayMs
    const locked =
      retainDays === undefined
        ? {}
        : { ObjectLockMode: "COMPLIANCE" as const, ObjectLockRetainUntilDate: new Date(until) }
    const command = new PutObjectCommand({
      Bucket,
      Key: key,
      Body: text,
      ContentType: "application/json",
      ChecksumAlgorithm: "SHA256",
      IfNoneMatch: "*",
      ...locked
    })
    return yield* ask((options) =>
      client.send(command, options).then(
        () => true,
        (thrown: unknown) => {
          if (nameOf(thrown) === "PreconditionFailed") return false
          throw thrown
        }
      )
    )
  })

  return { keysAfter, versions, read, create }
}

/** What an anchor asks of the store. */
export type Objects = ReturnType<typeof makeObjects>
