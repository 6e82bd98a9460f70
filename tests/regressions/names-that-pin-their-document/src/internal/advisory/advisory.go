// Package advisory knows which package versions are affected.
package advisory

// Table maps package URLs without qualifiers to advisory ids.
type Table map[string]string

// Builtin is the table shipped with the release.
func Builtin() Table {
	return Table{
		"pkg:deb/openssl@3.0.11":       "OI-2024-0007",
		"pkg:deb/xz-utils@5.6.1":       "OI-2024-0031",
		"pkg:golang/x/net@0.17.0":      "OI-2023-0190",
		"pkg:npm/ip@2.0.0":             "OI-2024-0012",
		"pkg:maven/log4j-core@2.14.1":  "OI-2021-0400",
		"pkg:pypi/requests@2.19.0":     "OI-2018-0032",
		"pkg:deb/libwebp@1.2.4":        "OI-2023-0155",
		"pkg:golang/runc@1.1.11":       "OI-2024-0009",
		"pkg:golang/go-git/v5@5.10.0":  "OI-2024-0003",
		"pkg:maven/spring-core@5.3.17": "OI-2022-0101",
	}
}
