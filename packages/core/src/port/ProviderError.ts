import { Schema } from "effect"

/** A provider could not be read: nothing was moved by asking, and nothing may be concluded. Ask again. */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  doing: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.provider}: ${this.doing}: ${this.detail}`
  }
}
