import { createHash } from "node:crypto"
import { Effect, Stream } from "effect"

/** SHA-256 of bytes, lower-case hexadecimal. */
export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** SHA-256 of the UTF-8 bytes of a text that comes in parts. */
export const sha256OfText = <E, R>(text: Stream.Stream<string, E, R>): Effect.Effect<string, E, R> =>
  Effect.suspend(() => {
    const hash = createHash("sha256")
    return Effect.map(
      Stream.runForEach(text, (part) => Effect.sync(() => hash.update(part))),
      () => hash.digest("hex")
    )
  })
