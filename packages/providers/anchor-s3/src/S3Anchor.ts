import { S3Client } from "@aws-sdk/client-s3"
import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { type AnchorContent, AnchorFailed, type AuditAnchor } from "@bursar/core/port/AuditAnchor"
import { AuditBroken } from "@bursar/core/port/AuditSealer"
import { Effect, Option, type Scope } from "effect"
import { decodeObject, keyOf, numberOf } from "./internal/AnchorObject.ts"
import { makeObjects, type Objects } from "./internal/objects.ts"
import { readContent } from "./internal/readContent.ts"
import type { S3Options } from "./S3Options.ts"

const timeoutMs = 10_000

const isLocal = ({ hostname }: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(hostname)

/** A client for as long as the scope lives. Refused: an endpoint without TLS that is not on this machine. */
const openClient = Effect.fnUntraced(function* ({ endpoint, region }: S3Options) {
  const url = endpoint === undefined ? undefined : URL.parse(endpoint)
  if (url === null || (url !== undefined && url.protocol !== "https:" && !(url.protocol === "http:" && isLocal(url))))
    return yield* new AnchorFailed({
      reason: "the endpoint of S3 must start with https://, or http:// to this machine"
    })
  return yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new S3Client({
          region,
          maxAttempts: 3,
          requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
          // other stores know buckets by the path alone
          ...(url === undefined ? {} : { endpoint: url.href, forcePathStyle: true })
        })
    ),
    (client) => Effect.sync(() => client.destroy())
  )
})

const broken = (finding: string) => new AuditBroken({ findings: [finding] })

/** Why a seal is not put down: the store has another of its number, or later ones. */
const putDown = Effect.fnUntraced(function* (
  objects: Objects,
  { place, prefix, seal, from }: { place: string; prefix: string; seal: AuditSeal; from: string }
) {
  const numbers = (yield* objects.keysAfter(from)).flatMap((key) => numberOf(prefix, key) ?? [])
  const last = numbers.at(-1)
  if (last !== undefined && last > seal.number)
    return yield* broken(`Seals ${seal.number + 1} to ${last} were taken out: the anchor ${place} has them.`)
  const key = keyOf(prefix, seal.number)
  // the one before that this process has put down counts, even if somebody has removed it since
  const previous = numbers.findLast((number) => number < seal.number) ?? numberOf(prefix, from) ?? null
  if (yield* objects.create(key, `${JSON.stringify({ seal, previous })}\n`)) return key
  const there = Option.getOrUndefined(decodeObject(yield* objects.read(key)))
  if (there?.seal.mac === seal.mac) return key
  return yield* broken(`Seal ${seal.number} was replaced: the anchor ${place} has another.`)
})

/**
 * An anchor in an object store that speaks S3: each seal is an object of its own, which is put down only where there is none of its name, and
 * names the one before. With versions and object lock nobody can take one away unseen.
 */
export const makeS3Anchor = Effect.fn("anchorS3.make")(function* (
  options: S3Options
): Effect.fn.Return<
  AuditAnchor & { readonly read: Effect.Effect<AnchorContent, AnchorFailed> },
  AnchorFailed,
  Scope.Scope
> {
  const { bucket, prefix } = options
  const objects = makeObjects(yield* openClient(options), options)
  const place = `s3://${bucket}/${prefix}`
  let last = ""
  return {
    name: place,
    put: Effect.fn("S3Anchor.put")(function* (seal: AuditSeal) {
      const key = keyOf(prefix, seal.number)
      // the one that this process put down may be the newest
      last = yield* putDown(objects, { place, prefix, seal, from: last < key ? last : "" })
    }),
    read: readContent(objects, { place, prefix })
  }
})
