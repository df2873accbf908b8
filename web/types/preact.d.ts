// What the types of Debian's preact 8 lack: keys of components that are functions.
declare namespace JSX {
  interface IntrinsicAttributes {
    key?: string | number;
  }
}
