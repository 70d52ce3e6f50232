import type { CheckPlace, CleanRange } from "@bursar/core/checker/checkSubjects"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, FileSystem, Option, Schema } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** The first line of the file: the rules by which ranges were found clean, and what their digests were made with. */
const Header = Schema.fromJsonString(Schema.Struct({ rules: Schema.String, seed: Schema.Int }))

/** Each other line: a range of a tenant in which nothing was found. */
const Kept = Schema.fromJsonString(
  Schema.Struct({
    tenant: Schema.String,
    from: Schema.String,
    to: Schema.NullOr(Schema.String),
    seen: Schema.Struct({ own: Schema.Int, filed: Schema.Int, missing: Schema.Int, digest: Schema.BigIntFromString })
  })
)

/** What is kept of a check that is under way. */
export interface CheckPlaces {
  readonly of: (tenant: { readonly id: TenantId }) => CheckPlace
  /** Forgets everything: the check came to its end. */
  readonly forget: Effect.Effect<void>
}

const header = (text: string) => Schema.decodeUnknownOption(Header)(text)
const writeHeader = Schema.encodeSync(Header)
const kept = Schema.decodeUnknownOption(Kept)
const writeKept = Schema.encodeSync(Kept)

/**
 * Keeps in a file what a check has found clean, line by line, so that one that was broken off need not look at it again. What of the file is no line, as the last
 * one may be after a crash, counts for nothing; a file of other rules (`checkRules`) is begun anew.
 */
export const checkPlaces = Effect.fn("assemble.checkPlaces")(
  function* (path: string, rules: string) {
    const files = yield* FileSystem.FileSystem
    const text = (yield* files.exists(path)) ? yield* files.readFileString(path) : ""
    const [first = "", ...lines] = text.split("\n")
    const known = Option.filter(header(first), (one) => one.rules === rules)
    const seed = Option.match(known, {
      onNone: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
      onSome: (one) => one.seed
    })
    const before = Option.isNone(known) ? [] : lines.flatMap((line) => Option.toArray(kept(line)))
    // what is kept is written again, so that a line that was cut off ends where it does
    yield* files.writeFileString(
      path,
      [writeHeader({ rules, seed }), ...before.map((one) => writeKept(one)), ""].join("\n"),
      { mode: 0o600 }
    )
    const keep = (tenant: string, { from, seen, to }: CleanRange) =>
      files
        .writeFileString(path, `${writeKept({ tenant, from, to, seen })}\n`, { flag: "a" })
        .pipe(Effect.catch(() => Effect.annotateLogs(Effect.logWarning("check.place_not_written"), { path })))
    const places: CheckPlaces = {
      of: ({ id }) => ({
        seed,
        clean: before.filter(({ tenant }) => tenant === id),
        keep: (range) => keep(id, range)
      }),
      forget: Effect.ignore(files.remove(path))
    }
    return places
  },
  (effect, path) => Effect.mapError(effect, () => new CommandFailed({ message: `${path} cannot be read and written.` }))
)
