import { Fragment, type ReactNode } from "react"

/** Names and values, one under the other. Without a value the name is left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [string, ReactNode]> }) => (
  <dl className="facts">
    {of.flatMap(([name, value]) =>
      value === null || value === undefined || value === ""
        ? []
        : [
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ]
    )}
  </dl>
)
