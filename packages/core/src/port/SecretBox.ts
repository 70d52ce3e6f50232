import { Context, type Effect, type Redacted, Schema } from "effect"

/** A sealed secret cannot be opened: another master key, another owner, or tampering. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  owner: Schema.String
}) {}

/** Seals small secrets for storage under a master key. `owner` is bound in: what is sealed for one cannot be opened for another. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (owner: string, secret: Redacted.Redacted) => Effect.Effect<string>
    readonly open: (owner: string, sealed: string) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
  }
>()("@bursar/core/port/SecretBox") {}
