import { Effect } from "effect"
import type { AnchorS3Settings } from "../config/anchorS3.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { optionalPackage } from "./optionalPackage.ts"

const failed = (message: string) => new CommandFailed({ message })

/** An anchor in the object store of the settings, for as long as the scope lives. */
export const openS3Anchor = Effect.fn("assemble.openS3Anchor")(function* (settings: AnchorS3Settings) {
  const { endpoint, place, region, retainDays } = settings
  const { makeS3Anchor, readPlace } = yield* optionalPackage("@bursar/anchor-s3", () => import("@bursar/anchor-s3"))
  const named = readPlace(place)
  if (named === undefined) return yield* failed(`${place} is no place in an object store, such as s3://bucket/prefix.`)
  return yield* makeS3Anchor({
    ...named,
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ...(retainDays === null ? {} : { retainDays })
  }).pipe(Effect.mapError(({ reason }) => failed(`AUDIT_ANCHOR_S3: ${reason}`)))
})
