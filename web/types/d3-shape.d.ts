// What the pages use of d3-shape 1.3; Debian's package is without types.
declare module "d3-shape" {
  interface Line<T> {
    (data: readonly T[]): string | null;
    defined(of: (datum: T) => boolean): Line<T>;
    x(of: (datum: T) => number): Line<T>;
    y(of: (datum: T) => number): Line<T>;
  }
  export function line<T>(): Line<T>;
}
