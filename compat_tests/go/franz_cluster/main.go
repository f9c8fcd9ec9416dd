// Producers, group members and transactions of franz-go on a cluster whose brokers end and start again, and kadm.
//
//	franz_cluster work BOOTSTRAP   copies numbers until its stdin ends; "more" on a line waits for progress
//	franz_cluster admin BOOTSTRAP  changes topics, partitions, replicas and leaders, and prints a line for each step
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: franz_cluster work|admin BOOTSTRAP")
		os.Exit(2)
	}
	switch os.Args[1] {
	case "work":
		work(os.Args[2])
	case "admin":
		administer(os.Args[2])
	default:
		fmt.Fprintln(os.Stderr, "not a command:", os.Args[1])
		os.Exit(2)
	}
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Println("failed:", err)
	os.Exit(1)
}
