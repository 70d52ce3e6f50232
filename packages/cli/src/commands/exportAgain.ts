import { Option } from "effect"
import { commandText } from "./commandText.ts"

/** What an export was asked for with. */
export interface ExportOptions {
  readonly operatorUrl: Option.Option<string>
  readonly as: Option.Option<string>
  readonly tenant: string
  readonly format: string
  readonly period: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

const flag = (name: string, value: Option.Option<string>): ReadonlyArray<string> =>
  Option.match(value, { onNone: () => [], onSome: (given) => [`--${name}`, given] })

/** The command that continues an export into a file: the same export, up to the posting that it was to end with. */
export const exportAgain = (options: ExportOptions, through: number, file: string): string =>
  commandText([
    "export",
    ...flag("operator-url", options.operatorUrl),
    ...flag("as", options.as),
    ...["--tenant", options.tenant, "--format", options.format],
    ...flag("period", options.period),
    ...flag("from", options.from),
    ...flag("to", options.to),
    ...["--through", `${through}`, "--out", file, "--resume"]
  ])
