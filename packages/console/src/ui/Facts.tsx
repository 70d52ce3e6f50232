import { Fragment, type ReactNode } from "react"
import { Shown } from "./Shown.tsx"

/** Names and values, one under the other. Without a value the name is left out. Several may have the same name. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [string, ReactNode]> }) => (
  <dl className="facts">
    {of.flatMap(([name, value], index) =>
      value === null || value === undefined || value === ""
        ? []
        : [
            // oxlint-disable-next-line react/no-array-index-key -- React shows one that has gone for ever where two have the same key
            <Fragment key={`${name}|${index}`}>
              <dt>{name}</dt>
              <dd>
                <Shown>{value}</Shown>
              </dd>
            </Fragment>
          ]
    )}
  </dl>
)
