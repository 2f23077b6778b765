/** What the build leaves beside the compiled sources for browsers; absent where sources run without it. */

/** All files of the folder are the search page's. */
export const searchPageFolder: URL = new URL('../../search-page/', import.meta.url);
/** The documentation: pages, pictures, script, sheet, and what its search box looks through. */
export const documentationFolder: URL = new URL('../../docs/', import.meta.url);
