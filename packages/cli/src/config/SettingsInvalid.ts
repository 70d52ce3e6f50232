import { Schema } from "effect"

/** The configuration is wrong; lists every mistake at once, by the name of its variable, and shows no secret. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  mistakes: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return ["The configuration is not valid:", ...this.mistakes.map((mistake) => `  - ${mistake}`)].join("\n")
  }
}
